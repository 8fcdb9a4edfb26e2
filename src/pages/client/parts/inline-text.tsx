const MARKED = /(`[^`]+`|\*\*[^*]+\*\*|(?<![\w*])\*[^*\s][^*]*\*(?![\w*]))/;

/** Text of one line with the Markdown that titles have: code, strong and emphasis. */
export const InlineText = ({ text }: { text: string }) => (
  <>
    {text.split(MARKED).map((part) => {
      if (/^`.+`$/.test(part)) return <code>{part.slice(1, -1)}</code>;
      if (/^\*\*.+\*\*$/.test(part)) return <strong>{part.slice(2, -2)}</strong>;
      if (/^\*.+\*$/.test(part)) return <em>{part.slice(1, -1)}</em>;
      return part;
    })}
  </>
);
