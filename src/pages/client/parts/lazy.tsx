import { type ComponentType, createElement } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../api.js';
import { Loading, Refusal } from './notice.js';

const GONE = new ApiError('unreachable', 'This view could not be loaded.', 'Reload the page.', 0);

/** A view whose code is fetched when it is first shown. */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): (props: P) => preact.JSX.Element {
  let view: ComponentType<P> | null = null;
  return function Lazy(props: P) {
    const [state, setState] = useState<'waits' | 'there' | 'gone'>(view ? 'there' : 'waits');
    useEffect(() => {
      if (view) return;
      load().then(
        (loaded) => {
          view = loaded;
          setState('there');
        },
        () => setState('gone'),
      );
    }, []);
    if (state === 'gone') return <Refusal error={GONE} />;
    return view ? createElement(view, props) : <Loading />;
  };
}
