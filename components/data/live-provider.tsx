'use client';
import { createContext, use, useEffect, useState } from 'react';
import { connectWebSocket } from '@/core/live/connect-web-socket';
import { CLOSE } from '@/core/protocol/close-codes';
import { type Clock, createClock } from './clock';
import { createLiveClient, type LiveClient, type LiveEnvironment } from './live-client';

interface Live {
  client: LiveClient;
  clock: Clock;
  /** The time at which the server rendered the page. The first render in the browser uses the same time. */
  renderedAt: number;
}

const LiveContext = createContext<Live | null>(null);

export function useLive(): Live {
  const live = use(LiveContext);
  if (live === null) throw new Error('useLive needs <LiveProvider> above it');
  return live;
}

/** Reloads the page when the log-in ends or its projects change. */
function leaveWhenEnded(code: number): boolean {
  const isEnded = code === CLOSE.unauthorized;
  if (isEnded) location.reload();
  return isEnded;
}

const BROWSER: LiveEnvironment = {
  url: () => `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/v1/live`,
  connect: (url, handlers) => connectWebSocket(WebSocket, leaveWhenEnded)(url, handlers),
  now: () => Date.now(),
  random: () => Math.random(),
  schedule: (task, delayMs) => {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
};

/** @param renderedAt the server's time of this rendering, milliseconds */
export function LiveProvider({ renderedAt, children }: { renderedAt: number; children: React.ReactNode }) {
  const [live] = useState<Live>(() => ({
    client: createLiveClient(BROWSER),
    clock: createClock(renderedAt),
    renderedAt,
  }));
  useEffect(() => {
    const { client, clock } = live;
    client.open();
    const takeOffset = () => {
      const status = client.status();
      if (status.status === 'live') clock.setOffset(status.offsetMs);
    };
    takeOffset();
    const nudge = () => {
      if (document.visibilityState === 'visible') client.nudge();
    };
    const leave = client.onStatus(takeOffset);
    const stop = clock.start();
    window.addEventListener('online', nudge);
    document.addEventListener('visibilitychange', nudge);
    return () => {
      leave();
      stop();
      window.removeEventListener('online', nudge);
      document.removeEventListener('visibilitychange', nudge);
    };
  }, [live]);
  return <LiveContext value={live}>{children}</LiveContext>;
}
