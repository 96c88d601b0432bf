import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { settingsOf } from '../../testing/settings';
import { FeedStore } from '../feed-store';
import { TranscriptWatcher, type WatcherOptions } from '../transcript-watcher';
import { RecordingClients } from './recording-clients';

interface WatchOptions extends Partial<Omit<WatcherOptions, 'clients'>> {
  clients?: RecordingClients;
  dataDir?: string;
}

/** A new home for each test of a file, and watchers that poll often and stop after the test. */
export function prepareWatch() {
  const running: TranscriptWatcher[] = [];
  const used = {
    home: '',
    async watch(root: string, { clients = new RecordingClients(), dataDir, ...options }: WatchOptions = {}) {
      const settings = settingsOf({ BAROGRAPH_DATA_DIR: dataDir ?? join(used.home, 'data') });
      const store = new FeedStore(settings.queueFolder, { url: 'http://127.0.0.1:4750', token: 'bg_test' });
      const timing = { sweepMs: 50, hotMs: 10, quietMs: 20 };
      const usual = { settings, store, clients, timing, roots: [root], fromStart: false, now: Date.now };
      const watcher = new TranscriptWatcher({ ...usual, ...options });
      running.push(watcher);
      await watcher.start();
      return { clients, watcher };
    },
  };
  beforeEach(() => {
    used.home = mkdtempSync(join(tmpdir(), 'barograph-watch-'));
  });
  afterEach(async () => {
    for (const watcher of running.splice(0)) await watcher.stop();
    rmSync(used.home, { recursive: true });
  });
  return used;
}
