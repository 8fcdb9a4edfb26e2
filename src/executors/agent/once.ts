/** Something that happens once and can be waited for. */
export class Once {
  private settle: () => void = () => undefined;
  readonly happened = new Promise<void>((resolve) => {
    this.settle = resolve;
  });
  hasHappened = false;

  happen(): void {
    this.hasHappened = true;
    this.settle();
  }
}
