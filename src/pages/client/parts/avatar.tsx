/** A person or a program by its initials, in a colour of its own; the name stands beside it or in its title. */
export function Avatar({ name }: { name: string }) {
  const hue = [...name].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) % 360, 7);
  return (
    <span
      class="avatar"
      aria-hidden="true"
      title={name}
      ref={(element) => element?.style.setProperty('--hue', `${hue}`)}
    >
      {initialsOf(name)}
    </span>
  );
}

/** "Ada Lovelace" → "AL", "@ada" → "AD". */
function initialsOf(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const letters = words.length > 1 ? [words[0]!, words.at(-1)!].map((word) => [...word][0]!) : [...(words[0] ?? '?')];
  return letters.slice(0, 2).join('').toUpperCase();
}
