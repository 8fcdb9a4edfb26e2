import { expect } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';

type Role = Parameters<Page['getByRole']>[0];
/** Beyond so many keys nobody looks for a control any more. */
const MOST_KEYS = 120;
/** Words of programs: names of fields and codes, addresses of the API, JSON. */
const OF_PROGRAMS = /\b[a-z]+_[a-z_]+\b|\/api\/|\b(?:GET|POST|PUT|PATCH|DELETE) \/|[{[]"|"}/;

/** A person at the page. Counts the controls that were operated, and stumbles over each word of an API. */
export abstract class Hands {
  operated = 0;

  constructor(readonly page: Page) {}

  /** Uses the last control of that name: what was offered most recently. */
  async press(role: Role, name: string | RegExp): Promise<void> {
    await this.operate(role, name, (control) => this.activate(control));
  }

  async type(role: Role, name: string | RegExp, text: string): Promise<void> {
    await this.operate(role, name, (control) => this.fill(control, text));
  }

  /** What was done last. */
  abstract undo(): Promise<void>;

  protected async operate(role: Role, name: string | RegExp, use: (control: Locator) => Promise<void>): Promise<void> {
    const control = this.page.getByRole(role, { name, exact: true }).last();
    await control.waitFor({ state: 'attached' });
    await this.expectForPeople();
    await use(control);
    this.operated += 1;
  }

  /** What is printed, typed or written in code may say anything. */
  async expectForPeople(): Promise<void> {
    const said = await this.page.evaluate<string>(`(() => {
      const shown = document.body.cloneNode(true);
      for (const one of shown.querySelectorAll('code, pre, textarea, noscript, .prompt, .diff-line')) one.remove();
      return shown.textContent;
    })()`);
    expect(OF_PROGRAMS.exec(said)?.[0]).toBeUndefined();
  }

  protected abstract activate(control: Locator): Promise<void>;
  protected abstract fill(control: Locator, text: string): Promise<void>;
}

export class Mouse extends Hands {
  undo(): Promise<void> {
    return this.press('button', 'Undo');
  }

  protected async activate(control: Locator): Promise<void> {
    await control.hover();
    await control.click();
  }

  protected async fill(control: Locator, text: string): Promise<void> {
    await control.click();
    await this.page.keyboard.type(text);
  }
}

/** Runs in the browser. */
const isFocused = (element: { matches(selector: string): boolean }): boolean => element.matches(':focus');

export class Keyboard extends Hands {
  undo(): Promise<void> {
    return this.operate('button', 'Undo', () => this.page.keyboard.press('z'));
  }

  protected async activate(control: Locator): Promise<void> {
    await this.reach(control);
    await this.page.keyboard.press('Enter');
  }

  protected async fill(control: Locator, text: string): Promise<void> {
    await this.reach(control);
    await this.page.keyboard.type(text);
  }

  private async reach(control: Locator): Promise<void> {
    for (let presses = 0; presses < MOST_KEYS; presses += 1) {
      if (await control.evaluate(isFocused)) return;
      await this.page.keyboard.press('Tab');
    }
    throw new Error(`${String(control)} is not reached by Tab.`);
  }
}
