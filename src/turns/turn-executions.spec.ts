import { describe, expect, it } from '@jest/globals';
import { firstPart, nextPart, type ScriptedRepo, type TurnPart } from './turn-executions.js';

const repo = (repo_id: string, setup_script: string | null, cleanup_script: string | null): ScriptedRepo => ({
  repo_id,
  setup_script,
  cleanup_script,
});

/** Every part of a turn in which all goes well. */
function walk(repos: ScriptedRepo[], completed: string[] = []): string[] {
  const done = [...completed];
  const parts: string[] = [];
  for (let part: TurnPart | null = firstPart(repos, done); part !== null; part = nextPart(part, repos, done)) {
    parts.push([part.run_reason, part.repo_id].filter(Boolean).join(' '));
    if (part.run_reason === 'setupscript') done.push(part.repo_id!);
  }
  return parts;
}

describe('the parts of a turn', () => {
  it('are the agent alone where no repository has a script', () => {
    expect(walk([])).toEqual(['codingagent']);
    expect(walk([repo('a', null, null), repo('b', null, null)])).toEqual(['codingagent']);
  });

  it('are every setup, the agent, every cleanup, each in the order of the repositories', () => {
    expect(walk([repo('a', 's', 'c'), repo('b', null, 'c'), repo('c', 's', null), repo('d', 's', 'c')])).toEqual([
      'setupscript a',
      'setupscript c',
      'setupscript d',
      'codingagent',
      'cleanupscript a',
      'cleanupscript b',
      'cleanupscript d',
    ]);
  });

  it('leave out setups that have succeeded, but no cleanup', () => {
    expect(walk([repo('a', 's', 'c'), repo('b', 's', 'c')], ['a'])).toEqual([
      'setupscript b',
      'codingagent',
      'cleanupscript a',
      'cleanupscript b',
    ]);
    expect(walk([repo('a', 's', 'c')], ['a'])).toEqual(['codingagent', 'cleanupscript a']);
  });

  it('begin the cleanups anew where the repository of the last one was removed meanwhile', () => {
    expect(nextPart({ run_reason: 'cleanupscript', repo_id: 'gone' }, [repo('a', null, 'c')], [])).toEqual({
      run_reason: 'cleanupscript',
      repo_id: 'a',
    });
  });
});
