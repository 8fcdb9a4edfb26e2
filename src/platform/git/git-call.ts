/** How one call of git is made, and what it answers. */
export interface GitOptions {
  input?: Buffer | string;
  env?: Readonly<Record<string, string>>;
  timeoutMs?: number;
  /** Of standard output; default 64 MiB. */
  maxBytes?: number;
  /** More than `maxBytes` cuts the answer instead of failing the call. */
  cut?: boolean;
  /** Exit codes that are answers; default 0 alone. */
  accept?: readonly number[];
  /** The call looks at no file, so the filters that the repository configures need not be taken out of force. */
  readsNoFiles?: boolean;
  /** The folder may lie below the root of its repository. */
  discover?: boolean;
}

export interface GitOutput {
  stdout: Buffer;
  exitCode: number | null;
  cut: boolean;
}

/** What calls git for text. */
export interface GitText {
  text(dir: string, args: readonly string[], options?: GitOptions): Promise<string>;
}
