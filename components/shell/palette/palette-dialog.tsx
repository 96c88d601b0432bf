'use client';
import { Command } from 'cmdk';
import { usePathname, useRouter } from 'next/navigation';
import { useQueryStates } from 'nuqs';
import { useEffect, useState } from 'react';
import type { Session } from '@/core/api/session';
import type { TranscriptList } from '@/core/api/transcripts';
import type { CommandAction } from '@/core/protocol/commands';
import { acknowledge, MUTE_MINUTES, muteSession } from '../../alerts/alert-actions';
import { callingAlerts, useOpenAlerts } from '../../alerts/use-open-alerts';
import type { CommandStart, CommandTarget } from '../../commands/command-dialog';
import { useCommandLists } from '../../commands/use-command-lists';
import { useTimeZone } from '../../data/use-time-zone';
import { formatInstant } from '../../format/format-time';
import { changePreferences, usePreferences } from '../../preferences/preferences-provider';
import { useMay } from '../../preferences/viewer';
import { FLEET_PARSERS, FLEET_URL_KEYS, readFleetQuery } from '../../sessions/fleet-query';
import { sessionMeta, sessionTitle } from '../../sessions/session-names';
import { type SessionSearch, useSessionSearch } from '../../sessions/use-session-search';
import { copyText } from '../../ui/copy-button';
import { Dialog } from '../../ui/dialog';
import { StateGlyph } from '../../ui/glyphs';
import { Percent } from '../../ui/percent';
import { STATE_WORD } from '../../ui/state-label';
import { NAV_ITEMS } from '../nav-items';
import { bestMatches } from './fuzzy';
import { paletteActions } from './palette-actions';
import { readVerb, type Verb } from './palette-verbs';
import { addRecent, readRecent } from './recent-pages';
import { useArchiveSearch } from './use-archive-search';

interface PaletteDialogProps {
  onClose: () => void;
  openHelp: () => void;
  sendCommand: (request: { target: CommandTarget; start: CommandStart }) => void;
}

interface Item {
  value: string;
  run: () => unknown;
  mark: React.ReactNode;
  name: React.ReactNode;
  note?: React.ReactNode;
}

export default function PaletteDialog({ onClose, openHelp, sendCommand }: PaletteDialogProps) {
  const [text, setText] = useState('');
  const query = text.trim();
  const [notice, setNotice] = useState('');
  const [, setFleet] = useQueryStates(FLEET_PARSERS, { urlKeys: FLEET_URL_KEYS });
  const pathname = usePathname();
  const router = useRouter();
  const preferences = usePreferences();
  const open = useOpenAlerts();
  const [recent] = useState(readRecent);
  const zone = useTimeZone();
  const { verb, words } = readVerb(query);
  /** The displayed session; null on other pages. */
  const current = /^\/sessions\/([^/]+)/.exec(pathname)?.[1] ?? null;
  const found = useSessionSearch(verb === 'archive' ? '' : words);
  const may = useMay();
  const canOperate = may('operate', undefined);
  const { actions: commands } = useCommandLists(current === null || !canOperate ? [] : [current]);
  const archives = useArchiveSearch(verb === 'archive' ? words || (current ?? '') : null);
  // The first item stays selected until the viewer moves the selection.
  const [chosen, setChosen] = useState('');
  const [moved, setMoved] = useState(false);
  /** The query for which Enter was pressed before its results arrived. The first result then opens. */
  const [awaited, setAwaited] = useState<string | null>(null);

  const go = (href: string) => {
    onClose();
    router.push(href);
  };
  const first = found.sessions[0]?.id ?? null;
  const isAnswered = verb === null && awaited === query && found.status !== 'asking';
  useEffect(() => {
    if (!isAnswered) return;
    setAwaited(null);
    if (first === null) return;
    onClose();
    router.push(`/sessions/${first}`);
  }, [isAnswered, first, onClose, router]);

  const sessionItem = (session: Session): Item => ({
    value: `session ${session.id}`,
    run: () => {
      if (verb !== 'compare') return go(`/sessions/${session.id}`);
      go(current === null ? `/compare?a=${session.id}` : `/compare?a=${current}&b=${session.id}`);
    },
    mark: (
      <span data-state={session.state} className="text-state">
        <StateGlyph state={session.state} />
        <span className="sr-only">{STATE_WORD[session.state]}</span>
      </span>
    ),
    name: (
      <>
        {sessionTitle(session)} <span className={META}>{sessionMeta(session)}</span>
      </>
    ),
    note:
      session.pressure === null || session.state === 'untracked' ? (
        <span className={META}>–</span>
      ) : (
        <Percent ratio={session.pressure} atLeast={!session.complete} estimated={session.estimated} />
      ),
  });
  const pages = bestMatches(
    NAV_ITEMS.map(({ href, name }) => ({ href, name, keywords: 'page' })),
    query,
  ).map(({ href, name }): Item => ({ value: `page ${name}`, run: () => go(href), mark: '→', name }));
  const others = recent.filter(({ href }) => href !== pathname);
  // A recent session keeps its row when the server's answer arrives, so that nothing moves under the pointer.
  const visited = bestMatches(others, query).map(({ href, name }): Item => {
    const value = `recent ${href}`;
    const session = found.sessions.find(({ id }) => href === `/sessions/${id}`);
    if (session) return { ...sessionItem(session), value };
    return {
      value,
      run: () => go(href),
      mark: '',
      name,
      note: <span className={META}>{href.startsWith('/transcripts/') ? 'archive' : 'session'}</span>,
    };
  });
  const sessions = found.sessions.map(sessionItem);
  const isVisited = ({ value }: Item) =>
    visited.some((item) => item.value === `recent /sessions/${value.slice(8)}`);
  const isNamed = ({ value }: Item) =>
    query !== '' && value.toLowerCase().startsWith(`page ${query.toLowerCase()}`);
  const act = {
    prefer: changePreferences,
    copyLink: async () => setNotice((await copyText(location.href)) ? 'Link copied' : 'Copying failed'),
    show: (search: string) => {
      // The router would apply the change only after a delay.
      if (pathname === '/') void setFleet(readFleetQuery(search));
      else history.replaceState(null, '', pathname + search);
      onClose();
    },
    go,
    help: openHelp,
    acknowledge: async (ids: readonly string[]) => {
      const done = await Promise.all(ids.map(acknowledge)).catch(() => null);
      setNotice(done === null ? 'The server does not respond' : 'Acknowledged');
    },
    mute: async (session: string) => {
      const done = await muteSession(session, MUTE_MINUTES).catch(() => null);
      setNotice(done === null ? 'The server does not respond' : 'Muted for an hour');
    },
    command: (action: CommandAction, message: string) => {
      if (current === null) return;
      const title = recent.find(({ href }) => href === pathname)?.name ?? 'This session';
      sendCommand({ target: { id: current, title }, start: { action, text: message } });
    },
    type: setText,
  };
  const alerts = callingAlerts(open)
    .filter(({ project }) => may('operate', project))
    .filter(({ session }) => current === null || session?.id === current)
    .map(({ id, rule, session, runner }) => ({
      id,
      name: `${rule.name}: ${session === null ? runner : (session.title ?? session.key)}`,
    }));
  const { search } = location;
  const world = { zone, now: Date.now(), pathname, search, preferences };
  const actions = paletteActions({ ...world, query, alerts, commands, canOperate, act }).map(
    ({ name, run, checked }): Item => ({
      value: `action ${name}`,
      run,
      mark: checked ? '✓' : '',
      name,
      note: checked ? <span className={META}>in use</span> : null,
    }),
  );
  // Sessions arrive later than pages. A matching page stays first, so that Enter opens the page.
  const any: readonly Group[] = [
    ['Pages', pages.filter(isNamed)],
    ['Recent', visited],
    [sessionsHeading(found, query), sessions.filter((item) => !isVisited(item))],
    [pages.some(isNamed) ? 'Other pages' : 'Pages', pages.filter((page) => !isNamed(page))],
    ['Actions', actions],
  ];
  const groups: readonly Group[] = {
    archive: [
      ['Archives, newest first', archives.archives.map((archive) => archiveItem(archive, zone, go))],
    ] as const,
    compare: [
      [
        current === null ? 'Compare with another session' : 'Compare this session with',
        sessions.filter(({ value }) => value !== `session ${current}`),
      ],
    ] as const,
    none: any,
  }[verb ?? 'none'];
  const values = groups.flatMap(([, items]) => items.map(({ value }) => value));

  return (
    <Dialog open onClose={onClose} title="Commands" hideTitle className="top-[10vh] w-[620px]">
      <Command
        label="Commands"
        shouldFilter={false}
        loop
        className="flex min-h-0 flex-col"
        value={moved && values.includes(chosen) ? chosen : (values[0] ?? '')}
        onValueChange={setChosen}
        onKeyDown={({ key, ctrlKey }) => {
          if (/^(Arrow(Up|Down)|Home|End)$/.test(key) || ctrlKey) setMoved(true);
          if (key === 'Enter' && values.length === 0 && found.status === 'asking') setAwaited(query);
        }}
        onPointerMove={() => setMoved(true)}
      >
        <Command.Input
          value={text}
          onValueChange={(next) => {
            setText(next);
            setMoved(false);
            setAwaited(null);
            setNotice('');
          }}
          placeholder="Search or run a command"
          className="h-[48px] flex-none border-b border-ink bg-transparent px-[22px] text-[17px] outline-none"
        />
        <Command.List
          label="Results"
          className="h-[420px] max-h-[calc(100dvh-200px)] scroll-pt-[30px] scroll-pb-[8px] overflow-y-auto overscroll-contain"
        >
          {groups.map(([heading, items]) =>
            items.length === 0 ? null : (
              <Command.Group
                key={heading}
                heading={<p className="px-[22px] pt-[10px] pb-[4px] text-small text-ink2">{heading}</p>}
              >
                {items.map(({ value, run, mark, name, note }) => (
                  <Command.Item
                    key={value}
                    value={value}
                    className="grid min-h-[32px] cursor-pointer grid-cols-[12px_minmax(0,1fr)_auto] items-center gap-[10px] border-l-2 border-transparent px-[22px] aria-selected:border-ink aria-selected:bg-sunken"
                    onSelect={() => void run()}
                  >
                    <span aria-hidden={typeof mark === 'string'}>{mark}</span>
                    <span className="truncate">{name}</span>
                    {note}
                  </Command.Item>
                ))}
              </Command.Group>
            ),
          )}
        </Command.List>
        <p
          role="status"
          className="min-h-[28px] flex-none border-t border-hair px-[22px] py-[6px] text-small text-ink2"
        >
          {notice || statusOf(verb === 'archive' ? archives : found, verb, values.length)}
        </p>
      </Command>
    </Dialog>
  );
}

const META = 'text-[11px] text-ink2';

function sessionsHeading({ sessions, total }: SessionSearch, query: string): string {
  if (query === '') return 'Sessions, next boundary first';
  return total !== null && total > sessions.length ? `Sessions, ${sessions.length} of ${total}` : 'Sessions';
}

type Group = readonly [heading: string, items: readonly Item[]];

function archiveItem(
  archive: TranscriptList['transcripts'][number],
  zone: string,
  go: (href: string) => void,
): Item {
  const { id, sessionTitle, sessionKey, project, at, trigger } = archive;
  const name = sessionTitle ?? sessionKey;
  const href = `/transcripts/${id}`;
  return {
    value: `archive ${id}`,
    run: () => {
      addRecent({ href, name });
      go(href);
    },
    mark: '',
    name: (
      <>
        {name} <span className={META}>{[project, trigger].filter(Boolean).join(' · ')}</span>
      </>
    ),
    note: <span className={META}>{formatInstant(Date.parse(at), zone)}</span>,
  };
}

function statusOf({ status }: Pick<SessionSearch, 'status'>, verb: Verb | null, count: number): string {
  const what = verb === 'archive' ? 'Archives' : 'Sessions';
  if (status === 'failed') return `${what} cannot be searched: the server does not respond.`;
  if (status === 'asking') return `Searching ${what.toLowerCase()}…`;
  return count === 0 ? 'No matches' : '';
}
