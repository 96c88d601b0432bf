import { afterEach, expect, test, vi } from 'vitest';
import { createFeed } from './feed';
import type { FrameSender } from './frame-sender';

const read = vi.fn<() => Promise<string | null>>();
const onError = (error: unknown) => expect.unreachable(String(error));
let feed = openFeed();
function openFeed() {
  return createFeed({ read, snapshot: () => 'all', onError, pauseMs: () => 1 });
}
afterEach(() => {
  feed.close();
  feed = openFeed();
  read.mockReset();
});

function browser(isBehind = () => false) {
  const frames: string[] = [];
  const sender: FrameSender = {
    send: (body) => void frames.push(body),
    isBehind,
    whenCaughtUp: (task) => task(),
  };
  feed.subscribe(sender);
  return { frames, sender };
}

test('sends a snapshot, then each change once, and nothing to former readers', async () => {
  read.mockResolvedValue(null);
  const [stays, leaves] = [browser(), browser()];
  await vi.waitFor(() => expect(leaves.frames).toEqual(['all']));
  feed.unsubscribe(leaves.sender);
  read.mockResolvedValueOnce('delta');
  feed.ask();
  await vi.waitFor(() => expect(stays.frames).toEqual(['all', 'delta']));
  expect(leaves.frames).toEqual(['all']);
});

test('reads nothing without readers, and sends snapshots to a slow reader', async () => {
  read.mockResolvedValue('delta');
  feed.ask();
  expect(read).not.toHaveBeenCalled();
  const { frames } = browser(() => true);
  feed.ask();
  await vi.waitFor(() => expect(read.mock.calls.length).toBeGreaterThan(1));
  expect(new Set(frames)).toEqual(new Set(['all']));
});
