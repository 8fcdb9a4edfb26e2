const LINE_FEED = 10;

/** git puts the prefix into all headers but these four. Lines of the files themselves begin with another character. */
export function rewriteRenames(patch: string, repo_name: string): string {
  // Not `^`, which would also match behind a carriage return within a line.
  return patch.replace(
    /(?<![^\n])(rename|copy) (from|to) ("?)/g,
    (_, verb: string, side: string, quote: string) => `${verb} ${side} ${quote}${repo_name}/`,
  );
}

/** Cut to at most `maxBytes` of UTF-8, behind the last line that is whole.
 *  @param isCut the text itself already lacks its end */
export function wholeLines(text: string, maxBytes: number, isCut: boolean): { patch: string; truncated: boolean } {
  const bytes = Buffer.from(text);
  if (!isCut && bytes.length <= maxBytes) return { patch: text, truncated: false };
  const end = bytes.subarray(0, maxBytes).lastIndexOf(LINE_FEED) + 1;
  return { patch: bytes.toString('utf8', 0, end), truncated: true };
}
