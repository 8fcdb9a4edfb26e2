import type { Stretch } from './unified-diff.js';

/** Lines that are unfolded at once; a gap that is no longer is unfolded whole. */
const STEP = 20;

/** Unfold what is left out, from above or from below. They say by their data which lines they show. */
export function MoreButtons({ gap: { from, to }, isEnd = false }: { gap: Stretch; isEnd?: boolean }) {
  if (to - from < STEP) return <More name="More context" title="Show what is left out" sign="↕" {...{ from, to }} />;
  return (
    <>
      {from > 1 && (
        <More name="More context below" title="Show the next lines" sign="↓" from={from} to={from + STEP - 1} />
      )}
      {!isEnd && <More name="More context above" title="Show the lines before" sign="↑" from={to - STEP + 1} to={to} />}
    </>
  );
}

interface MoreProps extends Stretch {
  name: string;
  title: string;
  sign: string;
}

const More = ({ name, title, sign, from, to }: MoreProps) => (
  <button type="button" class="more" aria-label={name} title={title} data-sign={sign} data-from={from} data-to={to} />
);
