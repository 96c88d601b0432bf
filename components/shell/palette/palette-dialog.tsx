'use client';
/** `⌘K`: sessions, pages and actions by name, all by keyboard. */
import { Command } from 'cmdk';
import { usePathname, useRouter } from 'next/navigation';
import { useQueryStates } from 'nuqs';
import { useEffect, useState } from 'react';
import { useHeldFleet } from '../../data/use-held-fleet';
import { changePreferences, usePreferences } from '../../preferences/preferences-provider';
import { FLEET_PARSERS, FLEET_URL_KEYS, readFleetQuery } from '../../sessions/fleet-query';
import { sessionMeta, sessionTitle } from '../../sessions/session-names';
import { copyText } from '../../ui/copy-button';
import { Dialog } from '../../ui/dialog';
import { StateGlyph } from '../../ui/glyphs';
import { Percent } from '../../ui/percent';
import { STATE_WORD } from '../../ui/state-label';
import { NAV_ITEMS } from '../nav-items';
import { showShellDialog } from '../shell-dialogs';
import { findPages, type PaletteEffect, paletteActions } from './palette-actions';
import './palette.css';
import { type SessionSearch, useSessionSearch } from '../../sessions/use-session-search';

const ZONES = Intl.supportedValuesOf('timeZone');

export default function PaletteDialog({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  // Not deferred: Enter must act on the typed words.
  const query = text.trim();
  const [notice, setNotice] = useState('');
  const [, setFleet] = useQueryStates(FLEET_PARSERS, { urlKeys: FLEET_URL_KEYS });
  const pathname = usePathname();
  const router = useRouter();
  const preferences = usePreferences();
  const fleet = useHeldFleet();
  const found = useSessionSearch(query, pathname === '/' ? fleet : null);
  // Sessions arrive later than pages: a named page stays first, so that Enter opens it.
  const { pages, isNamed } = findPages(NAV_ITEMS, query);
  const actions = paletteActions({ preferences, pathname, search: location.search, query, zones: ZONES });
  const places = pages.map(({ href }) => `page ${href}`);
  const values = [
    ...(isNamed ? places : []),
    ...found.sessions.map(({ id }) => `session ${id}`),
    ...(isNamed ? [] : places),
    ...actions.map(({ id }) => `action ${id}`),
  ];
  // The first item stays chosen until the viewer moves, also when results arrive late.
  const [chosen, setChosen] = useState<{ query: string; value: string } | null>(null);
  const [moved, setMoved] = useState(false);
  /** The query when Enter was pressed before its answer arrived; the answer is opened. */
  const [awaited, setAwaited] = useState<string | null>(null);
  const isHeld = moved && chosen?.query === query && values.includes(chosen.value);

  function changeQuery(search: string): void {
    // The fleet's filters answer at once; the router would report the change in a later transition.
    if (pathname === '/') void setFleet(readFleetQuery(search));
    else history.replaceState(null, '', pathname + search);
  }

  function go(href: string): void {
    onClose();
    router.push(href);
  }

  const first = found.sessions[0]?.id ?? null;
  const isAnswered = awaited === query && found.status !== 'asking';
  useEffect(() => {
    if (!isAnswered) return;
    setAwaited(null);
    if (first === null) return;
    onClose();
    router.push(`/sessions/${first}`);
  }, [isAnswered, first, onClose, router]);

  async function act(effect: PaletteEffect): Promise<void> {
    switch (effect.type) {
      case 'prefer':
        changePreferences(effect.part);
        return;
      case 'query':
        changeQuery(effect.search);
        onClose();
        return;
      case 'go':
        go(effect.href);
        return;
      case 'help':
        showShellDialog('help');
        return;
      case 'copy-link':
        setNotice((await copyText(location.href)) ? 'Link copied' : 'The browser refused to copy');
    }
  }

  const pageGroup =
    pages.length === 0 ? null : (
      <Command.Group heading="Pages">
        {pages.map(({ href, name }) => (
          <Command.Item key={href} value={`page ${href}`} onSelect={() => go(href)}>
            <span aria-hidden="true">→</span>
            <span className="clip">{name}</span>
          </Command.Item>
        ))}
      </Command.Group>
    );

  return (
    <Dialog open onClose={onClose} title="Commands" hideTitle className="top-[10vh] w-[620px]">
      <Command
        label="Commands"
        shouldFilter={false}
        loop
        className="palette"
        value={isHeld ? chosen.value : (values[0] ?? '')}
        onValueChange={(value) => setChosen({ query, value })}
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
          className="palette-input"
        />
        <Command.List label="Results">
          {isNamed ? pageGroup : null}
          {found.sessions.length === 0 ? null : (
            <Command.Group heading={sessionsHeading(found, query)}>
              {found.sessions.map((session) => (
                <Command.Item
                  key={session.id}
                  value={`session ${session.id}`}
                  onSelect={() => go(`/sessions/${session.id}`)}
                >
                  <span data-state={session.state} className="text-state">
                    <StateGlyph state={session.state} />
                    <span className="sr-only">{STATE_WORD[session.state]}</span>
                  </span>
                  <span className="clip">
                    {sessionTitle(session)} <span className="meta">{sessionMeta(session)}</span>
                  </span>
                  {session.pressure === null || session.state === 'untracked' ? (
                    <span className="meta">–</span>
                  ) : (
                    <Percent
                      ratio={session.pressure}
                      atLeast={!session.complete}
                      estimated={session.estimated}
                    />
                  )}
                </Command.Item>
              ))}
            </Command.Group>
          )}
          {isNamed ? null : pageGroup}
          {actions.length === 0 ? null : (
            <Command.Group heading="Actions">
              {actions.map(({ id, name, effect, checked }) => (
                <Command.Item key={id} value={`action ${id}`} onSelect={() => void act(effect)}>
                  <span aria-hidden="true">{checked ? '✓' : ''}</span>
                  <span className="clip">{name}</span>
                  {checked ? <span className="meta">in use</span> : null}
                </Command.Item>
              ))}
            </Command.Group>
          )}
        </Command.List>
        <p role="status" className="palette-status">
          {notice || statusOf(found, pages.length + actions.length)}
        </p>
      </Command>
    </Dialog>
  );
}

function sessionsHeading({ sessions, total }: SessionSearch, query: string): string {
  if (query === '') return 'Sessions, next to go first';
  return total !== null && total > sessions.length ? `Sessions, ${sessions.length} of ${total}` : 'Sessions';
}

/** What the list does not say by itself. */
function statusOf({ status, sessions }: SessionSearch, others: number): string {
  if (status === 'failed') return 'Sessions cannot be searched: the server does not answer.';
  if (status === 'asking') return 'Searching sessions…';
  return sessions.length + others === 0 ? 'No matches' : '';
}
