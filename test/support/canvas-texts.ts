import type { Page } from "playwright-core";

/** A text that a page has drawn on a canvas. */
export interface CanvasText {
  readonly text: string;
  /** The colour as the canvas was given it: `rgb(84, 94, 109)`. */
  readonly color: string;
  /** By how many pixels it begins before its canvas or ends after it. */
  readonly cut: number;
}

/** Keeps what the page draws as text on its canvases from its start on. */
export async function recordCanvasTexts(page: Page): Promise<void> {
  await page.addInitScript(RECORDER);
}

/** The texts on the visible canvases within the elements of a selector. */
export function canvasTexts(page: Page, selector: string): Promise<CanvasText[]> {
  return page.evaluate(
    `[...document.querySelectorAll(${JSON.stringify(`${selector} canvas`)})]
      .filter((canvas) => canvas.getClientRects().length > 0)
      .flatMap((canvas) => canvas.texts ?? [])`,
  );
}

/**
 * Runs in the page before its own script. A canvas that is cleared from its corner is drawn anew.
 */
const RECORDER = `{
  const drawing = CanvasRenderingContext2D.prototype;
  const { fillText, clearRect } = drawing;
  drawing.fillText = function (text, x, y, ...rest) {
    const { actualBoundingBoxLeft, actualBoundingBoxRight } = this.measureText(text);
    const at = this.getTransform().e + x;
    const cut = Math.max(0, actualBoundingBoxLeft - at, at + actualBoundingBoxRight - this.canvas.width);
    (this.canvas.texts ??= []).push({ text, color: this.fillStyle, cut });
    return fillText.call(this, text, x, y, ...rest);
  };
  drawing.clearRect = function (x, y, ...rest) {
    if (x === 0 && y === 0) this.canvas.texts = [];
    return clearRect.call(this, x, y, ...rest);
  };
}`;
