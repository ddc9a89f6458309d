/**
 * Runs in the page: the contrast ratio of each visible text to its background (WCAG 2.1, relative
 * luminance).
 */
export const contrastsOfTexts = `(() => {
  // A canvas tells an opaque colour as #rrggbb, and a mixed one has shares of 1.
  const channels = (color) =>
    color.startsWith("#")
      ? [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
      : color.match(/[\\d.]+/g).map((part, at) => Number(part) * (color.startsWith("color(") && at < 3 ? 255 : 1));
  const luminance = (color) => {
    const [r, g, b] = channels(color).slice(0, 3).map((value) => {
      const share = value / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if ((channels(color)[3] ?? 1) > 0) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const texts = [];
  const add = (text, color, element, isDrawn) => {
    const [bright, dark] = [luminance(color), luminance(behind(element))].sort((a, b) => b - a);
    texts.push({ text: text.trim().slice(0, 40), color, isDrawn, contrast: (bright + 0.05) / (dark + 0.05) });
  };
  for (const canvas of document.querySelectorAll("canvas"))
    if (canvas.getClientRects().length > 0)
      for (const { text, color } of canvas.texts) add(text, color, canvas, true);
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (walker.currentNode.data.trim() === "" || element.getClientRects().length === 0 || /^(SCRIPT|OPTION)$/.test(element.tagName)) continue;
    const style = getComputedStyle(element);
    add(walker.currentNode.data, element instanceof SVGElement ? style.fill : style.color, element, false);
  }
  return texts;
})()` as unknown as () => { text: string; color: string; isDrawn: boolean; contrast: number }[];
