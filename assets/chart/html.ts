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
