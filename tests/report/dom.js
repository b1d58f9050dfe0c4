"use strict";
// As much of a document as the report's script asks for. Events run at once, timers when drained.
const VOID = new Set(["meta", "br", "link", "img", "input", "hr"]);
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const kebab = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

class Text {
  constructor(data) { this.data = data; }
  get textContent() { return this.data; }
  get html() { return this.parentElement?.tagName === "SCRIPT" || this.parentElement?.tagName === "STYLE" ? this.data : escaped(this.data); }
}

class Element {
  constructor(tag) {
    this.tagName = tag.toUpperCase(); this.attributes = new Map(); this.children = []; this.listeners = {};
    this.parentElement = null; this.scrollWidth = this.clientWidth = this.offsetLeft = this.offsetWidth = 0;
    const of = this;
    this.dataset = new Proxy({}, {
      get: (_, name) => of.getAttribute(`data-${kebab(name)}`) ?? undefined,
      set: (_, name, value) => { of.setAttribute(`data-${kebab(name)}`, value); return true; },
      deleteProperty: (_, name) => { of.attributes.delete(`data-${kebab(name)}`); return true; },
    });
    this.classList = {
      contains: (name) => of.className.split(" ").includes(name),
      toggle: (name, force = !of.classList.contains(name)) => {
        const others = of.className.split(" ").filter((one) => one && one !== name);
        of.className = (force ? [...others, name] : others).join(" ");
        return force;
      },
    };
  }
  getAttribute(name) { return this.attributes.get(name) ?? null; }
  setAttribute(name, value) { this.attributes.set(name, String(value)); }
  append(...nodes) {
    for (const node of nodes) {
      const child = node instanceof Element || node instanceof Text ? node : new Text(String(node));
      child.parentElement = this; this.children.push(child);
    }
  }
  replaceChildren(...nodes) { this.children = []; this.append(...nodes); }
  remove() { const around = this.parentElement.children; around.splice(around.indexOf(this), 1); }
  replaceWith(node) { const around = this.parentElement.children; node.parentElement = this.parentElement; around[around.indexOf(this)] = node; }
  get textContent() { return this.children.map((one) => one.textContent).join(""); }
  set textContent(text) { this.replaceChildren(text); }
  *all() { for (const one of this.children) if (one instanceof Element) { yield one; yield* one.all(); } }
  matches(selector) {
    const found = /^([a-z]*)(?:\.([\w-]+))?(?:\[([\w-]+)\])?$/.exec(selector);
    if (!found) throw new Error(`selector ${selector}`);
    const [, tag, name, attribute] = found;
    return (!tag || this.tagName === tag.toUpperCase()) && (!name || this.classList.contains(name)) && (!attribute || this.attributes.has(attribute));
  }
  querySelectorAll(selector) { return [...this.all()].filter((one) => one.matches(selector)); }
  querySelector(selector) { return this.querySelectorAll(selector)[0] ?? null; }
  closest(selector) { for (let one = this; one; one = one.parentElement) if (one.matches(selector)) return one; return null; }
  addEventListener(type, listener) { (this.listeners[type] ??= []).push(listener); }
  dispatch(type) {
    const event = { target: this, preventDefault() {} };
    for (let one = this; one; one = one.parentElement) for (const listener of one.listeners[type] ?? []) listener(event);
    for (const listener of document.listeners[type] ?? []) listener(event);
  }
  scrollIntoView() {}
  focus() {}
  get html() {
    const names = [...this.attributes].map(([name, value]) => ` ${name}="${escaped(value).replaceAll('"', "&quot;")}"`).join("");
    const tag = this.tagName.toLowerCase(), open = `<${tag}${names}>`;
    return VOID.has(tag) ? open : `${open}${this.children.map((one) => one.html).join("")}</${tag}>`;
  }
}
for (const [name, attribute] of [["className", "class"], ["id", "id"], ["type", "type"], ["title", "title"], ["scope", "scope"], ["placeholder", "placeholder"], ["start", "start"], ["tabIndex", "tabindex"], ["colSpan", "colspan"]])
  Object.defineProperty(Element.prototype, name, { get() { return this.getAttribute(attribute) ?? ""; }, set(value) { this.setAttribute(attribute, value); } });
for (const name of ["hidden", "disabled", "open", "checked"])
  Object.defineProperty(Element.prototype, name, { get() { return this.attributes.has(name); }, set(value) { if (value) this.setAttribute(name, ""); else this.attributes.delete(name); } });
Object.defineProperty(Element.prototype, "value", {
  get() { return this.typed ?? this.getAttribute("value") ?? (this.tagName === "SELECT" ? (this.children.find((one) => one.selected) ?? this.children[0])?.value : undefined) ?? ""; },
  set(value) { this.typed = value; },
});

class Option extends Element {
  constructor(name, value, isDefault = false, selected = false) { super("option"); this.append(name); this.setAttribute("value", value); this.selected = selected || isDefault; }
}

const timers = [], kept = new Map();
let root;
const globals = {
  Option,
  document: {
    listeners: {},
    createElement: (tag) => new Element(tag),
    getElementById: (id) => [...root.all()].find((one) => one.id === id) ?? null,
    querySelectorAll: (selector) => root.querySelectorAll(selector),
    addEventListener(type, listener) { (this.listeners[type] ??= []).push(listener); },
    get documentElement() { return root.querySelector("html"); },
  },
  location: { hash: "" },
  history: { replaceState: (_, __, hash) => { location.hash = hash; } },
  localStorage: { getItem: (name) => kept.get(name) ?? null, setItem: (name, value) => { kept.set(name, value); } },
  addEventListener: (type, listener) => document.addEventListener(type, listener),
  requestAnimationFrame: (call) => timers.push(call),
  setTimeout: (call) => timers.push(call),
  clearTimeout: (number) => { if (number) timers[number - 1] = () => {}; },
};
Object.assign(globalThis, globals);

function built([tag, attributes, children]) {
  const element = new Element(tag);
  for (const [name, value] of attributes) element.setAttribute(name, value ?? "");
  element.append(...children.map((one) => (typeof one === "string" ? one : built(one))));
  return element;
}
function drain() { for (let at = 0; at < timers.length; at++) { timers[at](); timers[at] = () => {}; } }
function open(tree, hash) { root = built(tree); location.hash = hash; }
