/** What a frame spends on this, so that scrolling and typing go on meanwhile. */
const BUDGET_MS = 12;

const waiting = new Set<() => void>();
let frame = 0;

/** Draws parts of the page again, some in each frame; one that is asked for again while it waits is drawn once. */
export function drawByFrames(draw: () => void): void {
  waiting.add(draw);
  frame ||= requestAnimationFrame(() => void drawSome());
}

/** It is gone from the page. */
export const leaveOut = (draw: () => void): void => void waiting.delete(draw);

async function drawSome(): Promise<void> {
  const end = performance.now() + BUDGET_MS;
  for (const draw of waiting) {
    if (performance.now() > end) break;
    waiting.delete(draw);
    draw();
    await Promise.resolve(); // Preact draws before that
  }
  frame = waiting.size > 0 ? requestAnimationFrame(() => void drawSome()) : 0;
}
