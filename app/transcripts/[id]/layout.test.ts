import { afterAll, expect, it, vi } from 'vitest';
import { transcriptFixture } from '@/components/format/testing/transcript-fixture';
import { loadTranscript } from '@/db/queries/transcripts/transcript-row';
import TranscriptLayout from './layout';

// What it replaces stays in this file: the process is shared with others.
vi.hoisted(() => vi.resetModules());
vi.mock('next/navigation', () => ({
  notFound: () => {
    throw new Error('404');
  },
  redirect: (to: string) => {
    throw new Error(`to ${to}`);
  },
}));
vi.mock('@/db/shared-client', () => ({ getSharedDb: () => ({ sql: 'the database' }) }));
vi.mock('@/db/queries/transcripts/transcript-row', () => ({ loadTranscript: vi.fn() }));
afterAll(() => {
  vi.doUnmock('next/navigation');
  vi.doUnmock('@/db/shared-client');
  vi.doUnmock('@/db/queries/transcripts/transcript-row');
  vi.resetModules();
});

const open = (id: string) => TranscriptLayout({ params: Promise.resolve({ id }), children: 'the page' });

it('answers 404 before the page streams where there is no such transcript', async () => {
  vi.mocked(loadTranscript).mockResolvedValue(null);
  await expect(open('none')).rejects.toThrow('404');
});

it('redirects from the id of its archive to its own address', async () => {
  vi.mocked(loadTranscript).mockResolvedValue({ key: 1, transcript: transcriptFixture({ id: 'own' }) });
  await expect(open('archive')).rejects.toThrow('to /transcripts/own');
  expect(await open('own')).toBe('the page');
});
