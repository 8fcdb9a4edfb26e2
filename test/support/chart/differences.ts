import type { Manifest } from './cluster-rules.js';
import { isMap } from './rendered.js';

/** What differs, as sorted paths such as `Deployment api container.image`: of the pod and its only container in short,
 *  elements of lists by their names. What is random in a Secret is left out. */
export function differences(before: readonly Manifest[], after: readonly Manifest[]): string[] {
  const [old, now] = [flat(before), flat(after)];
  const paths = [...new Set([...old.keys(), ...now.keys()])];
  return paths.filter((path) => old.get(path) !== now.get(path)).sort();
}

function flat(documents: readonly Manifest[]): Map<string, string> {
  const leaves = documents.flatMap((document) => {
    const id = `${document.kind} ${document.metadata.name.replace(/^taskyard-?/, '')}`.trim();
    return leavesOf(document).map(([path, value]) => [`${id} ${inShort(document.kind, path)}`, value] as const);
  });
  return new Map(leaves.filter(([path]) => !/^Secret \S+ data\./.test(path)));
}

/** An empty map or list is a leaf. */
function leavesOf(value: unknown, path: readonly string[] = []): [string, string][] {
  const inner = isMap(value) ? Object.entries(value) : Array.isArray(value) ? value.map(elementOf) : [];
  if (inner.length === 0) return [[path.join('.'), JSON.stringify(value)]];
  return inner.flatMap(([key, part]) => leavesOf(part, [...path, key]));
}

function elementOf(element: unknown, index: number): [string, unknown] {
  const name = isMap(element) ? (element.name ?? (isMap(element.metadata) ? element.metadata.name : null)) : null;
  return [typeof name === 'string' ? name : String(index), element];
}

function inShort(kind: string, path: string): string {
  const ofPod = kind === 'Pod' ? path : path.replace(/^spec\.(?:jobTargetRef\.)?template\./, 'pod-');
  return ofPod
    .replace(/^pod-metadata\./, 'pod.')
    .replace(/^(?:pod-)?spec\./, kind === 'Pod' || ofPod.startsWith('pod-') ? 'pod.' : 'spec.')
    .replace(/^pod\.containers\.[^.]+\./, 'container.');
}
