/** Time as this process sees it, for what must not depend on the time of day. Handed in, so that no test waits. */
export class Clock {
  /** Milliseconds that only grow. */
  now(): number {
    return performance.now();
  }

  /** Does not keep the process alive. @returns cancels it */
  after(ms: number, callback: () => void): () => void {
    const timer = setTimeout(callback, ms).unref();
    return () => clearTimeout(timer);
  }

  /** @returns ends it */
  every(ms: number, callback: () => void): () => void {
    const timer = setInterval(callback, ms).unref();
    return () => clearInterval(timer);
  }
}
