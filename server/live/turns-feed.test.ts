import { describe, expect, it, vi } from 'vitest';
import type { FrameSender } from './frame-sender';
import { createTurnsFeed } from './live-hub';

function browser() {
  const frames: string[] = [];
  const state = { behind: false };
  const sender: FrameSender = {
    send: (body) => void frames.push(body),
    isBehind: () => state.behind,
    whenCaughtUp: (task) => task(),
  };
  return { frames, sender, state };
}

function openFeed() {
  const source = { at: null as string | null, reads: 0 };
  const feed = createTurnsFeed({
    load: () => {
      source.reads += 1;
      return Promise.resolve(source.at);
    },
    onError: (error) => {
      throw error;
    },
    tickMs: 1,
  });
  return { feed, source };
}

describe('turns feed', () => {
  it('sends the time of the newest turn at once, and after each new turn', async () => {
    const { feed, source } = openFeed();
    const { frames, sender } = browser();
    feed.subscribe(sender);
    await vi.waitFor(() => expect(frames).toEqual(['"type":"newest_turn","at":null']));
    source.at = '2026-01-23T18:04:00.000Z';
    feed.ask();
    await vi.waitFor(() => expect(frames.at(-1)).toContain('18:04:00'));
    feed.close();
  });

  it('sends no time twice, and nothing to former readers', async () => {
    const { feed, source } = openFeed();
    const stays = browser();
    const leaves = browser();
    feed.subscribe(stays.sender);
    feed.subscribe(leaves.sender);
    await vi.waitFor(() => expect(leaves.frames).toHaveLength(1));
    feed.unsubscribe(leaves.sender);
    feed.ask();
    await vi.waitFor(() => expect(source.reads).toBeGreaterThan(1));
    source.at = '2026-01-23T18:05:00.000Z';
    feed.ask();
    await vi.waitFor(() => expect(stays.frames).toHaveLength(2));
    expect(leaves.frames).toHaveLength(1);
    feed.close();
  });

  it('queries nothing without readers, and sends the next time to a slow browser', async () => {
    const { feed, source } = openFeed();
    feed.ask();
    expect(source.reads).toBe(0);
    const { frames, sender, state } = browser();
    state.behind = true;
    feed.subscribe(sender);
    await vi.waitFor(() => expect(source.reads).toBe(1));
    expect(frames).toEqual([]);
    state.behind = false;
    feed.ask();
    await vi.waitFor(() => expect(frames).toHaveLength(1));
    feed.close();
  });
});
