import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/icon.js';

const NEAR_END_PX = 160;

interface Following {
  isAtEnd: boolean;
  jump: () => void;
}

const rest = () => document.documentElement.scrollHeight - innerHeight - scrollY;
const toEnd = () => scrollTo(0, document.documentElement.scrollHeight);

/** Keeps the end of a growing view in sight until the reader scrolls away from it. A run that begins is followed; when
 *  it ends, who followed it sees what came of it, which stands at the top.
 *  @param count grows with the view */
export function useFollowing(isRunning: boolean, count: number): Following {
  const [isAtEnd, setAtEnd] = useState(isRunning && !location.hash);
  const follows = useRef(isAtEnd);
  follows.current = isAtEnd;
  const wasRunning = useRef(isRunning);

  useLayoutEffect(() => {
    if (isRunning && follows.current) toEnd();
  }, [count, isRunning]);
  useEffect(() => {
    if (!isRunning) return;
    const look = () => setAtEnd(rest() < NEAR_END_PX);
    window.addEventListener('scroll', look, { passive: true });
    return () => window.removeEventListener('scroll', look);
  }, [isRunning]);
  useEffect(() => {
    if (isRunning === wasRunning.current) return;
    wasRunning.current = isRunning;
    if (isRunning) setAtEnd(true);
    else if (follows.current) scrollTo(0, 0);
  }, [isRunning]);
  const jump = () => {
    setAtEnd(true);
    toEnd();
  };
  return { isAtEnd, jump };
}

export function JumpToLatest({ following: { isAtEnd, jump } }: { following: Following }) {
  if (isAtEnd) return null;
  return (
    <div class="jump">
      <button type="button" onClick={jump}>
        <Icon name="arrowDown" /> Jump to latest
      </button>
    </div>
  );
}
