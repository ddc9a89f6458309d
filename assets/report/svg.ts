/** A new element of SVG with its attributes. */
export function svg<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string | number>> = {},
): SVGElementTagNameMap[Name] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

/** A new element of HTML with its class and text. */
export function html<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className = "",
  text = "",
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  if (className !== "") element.className = className;
  if (text !== "") element.textContent = text;
  return element;
}

/** A text in a drawing. */
export function label(
  text: string,
  attributes: Readonly<Record<string, string | number>>,
): SVGTextElement {
  const element = svg("text", attributes);
  element.textContent = text;
  return element;
}

/** How wide the widest of some texts is in a drawing, in pixels, as texts of that class of group are. */
export function widestText(
  drawing: SVGSVGElement,
  className: string,
  texts: readonly string[],
): number {
  const group = svg("g", { class: className });
  drawing.append(group);
  const labels = texts.map((text) => label(text, {}));
  group.append(...labels);
  const widest = Math.max(0, ...labels.map((text) => text.getComputedTextLength()));
  group.remove();
  return widest;
}
