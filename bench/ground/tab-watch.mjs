/** Notes the moment at which the page first has so many elements that match. */
export const whenThere = (selector, count = 1) => `
  const watch = () => {
    if (document.querySelectorAll(${JSON.stringify(selector)}).length < ${count}) return requestAnimationFrame(watch);
    requestAnimationFrame(() => { window.there = performance.now(); });
  };
  requestAnimationFrame(watch);`;

/** When that was, and when the shell had come, in milliseconds of the tab. */
export async function there(tab) {
  for (;;) {
    const found = await tab.evaluate('window.there && { at: window.there, shell: ' + SHELL_AT + ' }');
    if (found) return found;
    await tab.waitForTimeout(20);
  }
}
const SHELL_AT = 'performance.getEntriesByType("navigation")[0].responseEnd';
