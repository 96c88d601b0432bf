import { expect, it } from 'vitest';
import { findTruth, type TruthFile } from './read-truth';

const truthOf = (file: string) => ({ file }) as TruthFile;

it('finds the truth of a transcript in any folder above or below the named one', () => {
  const names = ['owner_repo__a.jsonl', 'owner_repo__a__subagents__b.jsonl', 'c.jsonl'];
  const truths = new Map(names.map((name) => [name, truthOf(name)]));
  const found = [
    'a.jsonl',
    'client/a.jsonl',
    'client/a/subagents/b.jsonl',
    'client/c.jsonl',
    'client/d.jsonl',
  ];
  expect(found.map((path) => findTruth(truths, path)?.file)).toEqual([
    'owner_repo__a.jsonl',
    'owner_repo__a.jsonl',
    'owner_repo__a__subagents__b.jsonl',
    'c.jsonl',
    undefined,
  ]);
});
