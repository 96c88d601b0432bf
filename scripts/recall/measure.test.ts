import { describe, expect, it } from 'vitest';
import {
  answered,
  boundary,
  said,
  summary,
  toBytes,
  toLines,
  toolUse,
} from '../../core/transcript/testing-transcripts';
import { measureTranscript } from './measure';

const read = (path: string) => answered(toolUse(path, 'Read', { file_path: path }));
const run = (command: string) => answered(toolUse(command, 'Bash', { command }));

describe('The measurement of recall notes', () => {
  it('counts what was used again, what the summary and the note name, and lines without use', () => {
    const measured = measureTranscript(
      toBytes(
        toLines([
          said('Paint the harbour wall in blue.'),
          said('Leave the tide tables alone.'),
          read('/srv/wall.ts'),
          ...['a', 'b', 'c', 'd'].map((name) => read(`/srv/${name}.ts`)),
          run('npm test'),
          run('npm test'),
          boundary(),
          summary('Leave the tide tables alone. Read wall.ts.'),
          read('/srv/wall.ts'),
          read('/srv/a.ts'),
          read('/srv/d.ts'),
          read('/srv/new.ts'),
          run('npm test'),
        ]),
      ),
    );
    expect(measured).toEqual([
      expect.objectContaining({
        again: { files: 3, commands: 1, messages: 0 },
        bySummary: { files: 1, commands: 0, messages: 0 },
        byThree: { files: 2, commands: 0, messages: 0 },
        byRecent: { files: 2, commands: 1, messages: 0 },
        byNote: { files: 2, commands: 1, messages: 0 },
        lines: 4,
        unused: 2,
        messages: { all: 2, inSummary: 1, whole: 1, shortened: 0, missing: 0 },
      }),
    ]);
  });

  it('does not count what was first used after the compaction, or by a sub-agent', () => {
    const measured = measureTranscript(
      toBytes(
        toLines([
          answered(toolUse('1', 'Read', { file_path: '/srv/x.ts' }), {}, { isSidechain: true, agentId: 'q' }),
          said('Go on with the harbour.'),
          boundary(),
          summary('Nothing.'),
          read('/srv/x.ts'),
        ]),
      ),
    );
    expect(measured?.[0]?.again).toEqual({ files: 0, commands: 0, messages: 0 });
  });

  it('skips a file without entries of a known client', () => {
    expect(measureTranscript(toBytes('a\nb\n'))).toBeNull();
  });
});
