"""What workspace.yaml loads: the code location of the project around the working folder."""

from evals_pipeline.defs.location import build_location
from evals_pipeline.pipeline.project import Project

defs = build_location(Project.open(verify_documents=False))
