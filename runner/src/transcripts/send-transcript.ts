/** Sends a transcript's items to the queue of its project, in order. Import and watch share it. */
import type { TranscriptItem, TranscriptItemOf } from '../../../core/agents/agent-format';
import { ownIdOf } from '../../../core/agents/registry';
import type { RunnerSettings } from '../settings';
import { readMainProject, type TranscriptSource } from './collect-sources';
import type { FeedStore } from './feed-store';
import { type ClientPool, identityOf, projectSourceOf, waitForRoom } from './project-clients';
import { type FeedBatch, TranscriptFeed } from './transcript-feed';

export interface TranscriptDestination {
  settings: RunnerSettings;
  store: FeedStore;
  clients: ClientPool;
  /** Called when a compaction was read. The read position is saved once this resolves. `joinedAt`: first byte sent. */
  onCompaction?(
    source: TranscriptSource,
    project: string,
    joinedAt: number,
    compactions: readonly TranscriptItemOf<'compaction'>[],
  ): Promise<void>;
}

type Mark = (items: readonly TranscriptItem[], source: TranscriptSource) => TranscriptItem[];

export class TranscriptSender {
  /** Calls and compactions of the sessions' own; copies in forks are not counted. */
  readonly sent = { calls: 0, compactions: 0 };
  /** Ids of the newest call that was sent, by transcript. */
  readonly #newest = new Map<string, string>();
  readonly #to: TranscriptDestination;
  readonly #mark: Mark;
  readonly #signal: AbortSignal | undefined;
  /** Boundary of the newest compaction that was sent. */
  #boundary: string | undefined;

  constructor(to: TranscriptDestination, mark: Mark, signal?: AbortSignal) {
    this.#to = to;
    this.#mark = mark;
    this.#signal = signal;
  }

  /** The feed of a file, from the saved position on. All files of a session join one project. */
  async open(source: TranscriptSource, announces: boolean, again = false) {
    const { settings, store } = this.#to;
    const saved = store.read(source.path);
    const { session, folder } = source.identity;
    const known = settings.project ?? saved?.project ?? store.projectOf(session);
    const isBetter = settings.project === null && folder !== null && ownIdOf(session) !== null;
    const project = isBetter ? await readMainProject(source) : (known ?? (await readMainProject(source)));
    // After a change of project, send every line again: the session is new in that project, or moves there.
    const isContinued = saved?.project === project && !again;
    const about = { source, project, announces, content: settings.content, owners: store.owners };
    const feed = new TranscriptFeed({ ...about, saved: isContinued ? saved : undefined });
    return { feed, isContinued };
  }

  /** Send the lines added since the last call. Yields each batch once it is sent and saved. */
  async *pull(feed: TranscriptFeed): AsyncGenerator<FeedBatch> {
    let boundaries = 0;
    const sent: TranscriptItem[] = [];
    const { seen } = feed.position;
    let hasRead = false;
    for await (const batch of feed.pull(this.#signal)) {
      hasRead = true;
      await this.send(feed, batch.items);
      if (batch.items.some(isCompaction)) {
        boundaries += 1;
        sent.push(...batch.items);
        // One pass for the whole file, and a second pass for lines appended during the first.
        if (boundaries === 1) await this.noteCompactions(feed, sent);
      }
      this.#to.store.write(feed.state());
      yield batch;
    }
    // Else the next start would compare all lines again.
    if (!hasRead && seen !== '' && seen !== feed.position.seen) this.#to.store.write(feed.state());
    if (boundaries > 1) await this.noteCompactions(feed, sent);
  }

  /** Only the hook archives a document, because the client replaces its content. */
  async noteCompactions(
    { source, project, position, kind }: TranscriptFeed,
    sent: readonly TranscriptItem[],
  ) {
    const compactions = sent.filter(isCompaction);
    if (compactions.length === 0 || kind === 'document') return;
    await this.#to.onCompaction?.(source, project, position.joinedAt, compactions);
  }

  /** Send the newest call; later lines of the same call amend it. */
  async settle(feed: TranscriptFeed): Promise<void> {
    await this.send(feed, feed.parser.settle());
    this.#to.store.write(feed.state());
  }

  async send({ project, source }: TranscriptFeed, items: readonly TranscriptItem[]): Promise<void> {
    if (items.length === 0) return;
    const { session, folder } = source.identity;
    const projectSource = projectSourceOf(this.#to.settings, folder);
    const client = await this.#to.clients.of(identityOf(session, project, projectSource));
    await waitForRoom(client, this.#signal);
    for (const item of this.#mark(items, source)) client.send(item);
    for (const item of items) {
      if (item.type === 'turn' && this.#isNewCall(source.path, item)) this.sent.calls += 1;
      if (item.type !== 'compaction') continue;
      // A client may state the size of a compaction later.
      if (item.boundary === undefined || item.boundary !== this.#boundary) this.sent.compactions += 1;
      this.#boundary = item.boundary;
    }
  }

  /** Later lines of a call amend it. */
  #isNewCall(path: string, { call, inherited }: TranscriptItemOf<'turn'>): boolean {
    if (inherited === true) return false;
    const ids = JSON.stringify(call ?? null);
    const isAmended = call !== undefined && this.#newest.get(path) === ids;
    this.#newest.set(path, ids);
    return !isAmended;
  }
}

function isCompaction(item: TranscriptItem): item is TranscriptItemOf<'compaction'> {
  return item.type === 'compaction' && item.state === 'confirmed';
}
