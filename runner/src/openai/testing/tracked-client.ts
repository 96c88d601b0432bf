/** For tests: the real client, tracked, with a fake server. Each test gets a new session and view. */
import type OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { TrackedClient } from '../track-client';
import { trackOpenAI } from '../track-openai';
import { createTestClient, MESSAGES, MODEL, RecordingSession } from './calls';
import { FakeModelServer } from './fake-model-server';

export let server: FakeModelServer;
export let client: OpenAI;
export let session: RecordingSession;
export let tracked: TrackedClient<OpenAI>;

export const request = { model: MODEL, messages: MESSAGES };
export const streamed = { ...request, stream: true as const };

/** Call once in each test file: one server per file. */
export function trackTestClient(): void {
  beforeAll(async () => {
    server = await FakeModelServer.start();
    client = createTestClient(server);
  });
  beforeEach(() => {
    session = new RecordingSession();
    tracked = trackOpenAI(client, { session });
  });
  afterAll(() => server.stop());
}
