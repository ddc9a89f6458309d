/** Sets a text if it differs: an element that stays the same is neither laid out nor read anew. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Adds or removes a class if it differs. */
export function setClass(element: Element, name: string, isOn: boolean): void {
  if (element.classList.contains(name) !== isOn) element.classList.toggle(name, isOn);
}

/** Shows or hides an element if that differs. */
export function setShown(element: HTMLElement, isShown: boolean): void {
  if (element.hidden === isShown) element.hidden = !isShown;
}

/** Sets an attribute if it differs; removes it when undefined. */
export function setAttribute(element: Element, name: string, value: string | undefined): void {
  if (value === undefined) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
  } else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/**
 * Sets the length of a bar as a share of its track, if it differs: by a scale, which lays nothing
 * out anew.
 */
export function setLength(element: HTMLElement, share: number): void {
  const scale = `scaleX(${Math.max(0, Math.min(1, share)).toFixed(3)})`;
  if (element.dataset.scale === scale) return;
  element.dataset.scale = scale;
  element.style.transform = scale;
}

/** Colours a figure by its sign; the sign itself is in its text. */
export function setSign(element: Element, sign: -1 | 0 | 1): void {
  setClass(element, "up", sign > 0);
  setClass(element, "down", sign < 0);
}
