import { describe, expect, it } from '@jest/globals';
import type { DeliveryState } from '../tasks/task.dto.js';
import { stateOfAttempt } from './delivery-output.js';

describe('the delivery state of an attempt', () => {
  it.each<[DeliveryState[], DeliveryState]>([
    [[], 'none'],
    [['none', 'none'], 'none'],
    [['none', 'merged'], 'merged'],
    [['merged', 'merged'], 'merged'],
    [['merged', 'ready'], 'partly_delivered'],
    [['pushed', 'merged'], 'partly_delivered'],
    [['pushed', 'pushed'], 'pushed'],
    [['pushed', 'ready'], 'ready'],
    [['merged', 'updating'], 'updating'],
    [['updating', 'conflicted'], 'conflicted'],
    [['pr_open', 'pr_open', 'none'], 'pr_open'],
    [['pr_merged', 'pr_merged'], 'pr_merged'],
    [['pr_merged', 'merged'], 'merged'],
    [['pr_merged', 'pr_open'], 'partly_delivered'],
    [['pr_open', 'ready'], 'ready'],
  ])('of repositories that are %j is %s', (states, state) => {
    expect(stateOfAttempt(states, 'completed')).toBe(state);
  });

  it.each<[DeliveryState, 'running' | 'failed', DeliveryState]>([
    ['ready', 'running', 'running'],
    ['none', 'running', 'running'],
    ['conflicted', 'running', 'running'],
    ['pr_open', 'running', 'pr_open'],
    ['merged', 'running', 'merged'],
    ['ready', 'failed', 'failed'],
    ['none', 'failed', 'none'],
    ['conflicted', 'failed', 'conflicted'],
    ['pushed', 'failed', 'pushed'],
  ])('that is %s while the last run is %s is %s', (repo, run, state) => {
    expect(stateOfAttempt([repo], run)).toBe(state);
  });
});
