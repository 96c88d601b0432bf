'use client';
import { Command } from 'cmdk';
import { usePathname, useRouter } from 'next/navigation';
import { useQueryStates } from 'nuqs';
import { useEffect, useState } from 'react';
import { changePreferences, usePreferences } from '../../preferences/preferences-provider';
import { FLEET_PARSERS, FLEET_URL_KEYS, readFleetQuery } from '../../sessions/fleet-query';
import { sessionMeta, sessionTitle } from '../../sessions/session-names';
import { type SessionSearch, useSessionSearch } from '../../sessions/use-session-search';
import { copyText } from '../../ui/copy-button';
import { Dialog } from '../../ui/dialog';
import { StateGlyph } from '../../ui/glyphs';
import { Percent } from '../../ui/percent';
import { STATE_WORD } from '../../ui/state-label';
import { NAV_ITEMS } from '../nav-items';
import { matchesWords, paletteActions } from './palette-actions';

interface PaletteDialogProps {
  onClose: () => void;
  openHelp: () => void;
}

interface Item {
  value: string;
  run: () => unknown;
  mark: React.ReactNode;
  name: React.ReactNode;
  note?: React.ReactNode;
}

export default function PaletteDialog({ onClose, openHelp }: PaletteDialogProps) {
  const [text, setText] = useState('');
  const query = text.trim();
  const [notice, setNotice] = useState('');
  const [, setFleet] = useQueryStates(FLEET_PARSERS, { urlKeys: FLEET_URL_KEYS });
  const pathname = usePathname();
  const router = useRouter();
  const preferences = usePreferences();
  const found = useSessionSearch(query);
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
  const isAnswered = awaited === query && found.status !== 'asking';
  useEffect(() => {
    if (!isAnswered) return;
    setAwaited(null);
    if (first === null) return;
    onClose();
    router.push(`/sessions/${first}`);
  }, [isAnswered, first, onClose, router]);

  const sessions = found.sessions.map(
    (session): Item => ({
      value: `session ${session.id}`,
      run: () => go(`/sessions/${session.id}`),
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
    }),
  );
  const pages = NAV_ITEMS.filter(({ name }) => matchesWords(`${name} page`, query)).map(
    ({ href, name }): Item => ({ value: `page ${name}`, run: () => go(href), mark: '→', name }),
  );
  const isNamed = ({ value }: Item) =>
    query !== '' && value.toLowerCase().startsWith(`page ${query.toLowerCase()}`);
  const act = {
    prefer: changePreferences,
    copyLink: async () =>
      setNotice((await copyText(location.href)) ? 'Link copied' : 'The browser refused to copy'),
    show: (search: string) => {
      // The router would apply the change only after a delay.
      if (pathname === '/') void setFleet(readFleetQuery(search));
      else history.replaceState(null, '', pathname + search);
      onClose();
    },
    go,
    help: openHelp,
  };
  const actions = paletteActions({ preferences, pathname, search: location.search, query, act }).map(
    ({ name, run, checked }): Item => ({
      value: `action ${name}`,
      run,
      mark: checked ? '✓' : '',
      name,
      note: checked ? <span className={META}>in use</span> : null,
    }),
  );
  // Sessions arrive later than pages. A matching page stays first, so that Enter opens the page.
  const groups: readonly (readonly [heading: string, items: readonly Item[]])[] = [
    ['Pages', pages.filter(isNamed)],
    [sessionsHeading(found, query), sessions],
    [pages.some(isNamed) ? 'Other pages' : 'Pages', pages.filter((page) => !isNamed(page))],
    ['Actions', actions],
  ];
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
          {notice || statusOf(found, values.length)}
        </p>
      </Command>
    </Dialog>
  );
}

const META = 'text-[11px] text-ink2';

function sessionsHeading({ sessions, total }: SessionSearch, query: string): string {
  if (query === '') return 'Sessions, next to go first';
  return total !== null && total > sessions.length ? `Sessions, ${sessions.length} of ${total}` : 'Sessions';
}

function statusOf({ status }: SessionSearch, count: number): string {
  if (status === 'failed') return 'Sessions cannot be searched: the server does not answer.';
  if (status === 'asking') return 'Searching sessions…';
  return count === 0 ? 'No matches' : '';
}
