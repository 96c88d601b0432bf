'use client';
import { useId, useState } from 'react';
import { MOST_AUTHOR_CHARACTERS } from '@/core/notes/limits';
import { isTimeZone } from '@/core/time/zone-offset';
import { formatInstant } from '../format/format-time';
import { RANGE_NAMES, RANGE_WORDS } from '../history/history-range';
import { useNow } from '../live/use-clock';
import { useTimeZone } from '../live/use-time-zone';
import { DENSITIES, LOCAL_ZONE, THEMES } from '../preferences/preferences';
import { changePreferences, usePreferences } from '../preferences/preferences-provider';
import { Choice } from '../ui/choice';
import './settings.css';

const THEME_LABEL = { system: 'As the system', light: 'Light', dark: 'Dark' };
const DENSITY_LABEL = { comfortable: 'Comfortable', compact: 'Compact' };

/** What this browser remembers. Each choice holds at once, here and in every other tab. */
export function PreferencesForm() {
  const { theme, density, range, author } = usePreferences();
  return (
    <dl className="settings-rows">
      <div>
        <dt>Theme</dt>
        <dd>
          <Choice
            legend="Theme"
            name="theme"
            value={theme}
            options={THEMES.map((value) => ({ value, label: THEME_LABEL[value] }))}
            onChange={(next) => changePreferences({ theme: next })}
          />
        </dd>
      </div>
      <div>
        <dt>Rows of lists</dt>
        <dd>
          <Choice
            legend="Rows of lists"
            name="density"
            value={density}
            options={DENSITIES.map((value) => ({ value, label: DENSITY_LABEL[value] }))}
            onChange={(next) => changePreferences({ density: next })}
          />
        </dd>
      </div>
      <div>
        <dt>Times</dt>
        <dd>
          <ZoneChoice />
        </dd>
      </div>
      <div>
        <dt>History begins with</dt>
        <dd>
          <select
            className="field pr-[8px]"
            aria-label="History begins with"
            value={range}
            onChange={({ target }) => {
              const next = RANGE_NAMES.find((name) => name === target.value);
              if (next !== undefined) changePreferences({ range: next });
            }}
          >
            {RANGE_NAMES.map((name) => (
              <option key={name} value={name}>
                {RANGE_WORDS[name]}
              </option>
            ))}
          </select>
        </dd>
      </div>
      <div>
        <dt>Notes are signed</dt>
        <dd>
          <input
            className="field w-[200px] max-w-full"
            aria-label="Name that notes are signed with"
            placeholder="with no name"
            maxLength={MOST_AUTHOR_CHARACTERS}
            autoComplete="off"
            value={author}
            onChange={({ target }) => changePreferences({ author: target.value })}
          />
        </dd>
      </div>
    </dl>
  );
}

type ZoneKind = 'local' | 'UTC' | 'other';

/** This browser's zone, UTC, or any zone by its name. */
function ZoneChoice() {
  const { zone, localZone } = usePreferences();
  const shown = useTimeZone();
  const now = useNow(1_000);
  const id = useId();
  const [text, setText] = useState<string | null>(null);
  const kind: ZoneKind = text !== null ? 'other' : zone === LOCAL_ZONE || zone === 'UTC' ? zone : 'other';
  const typed = text ?? zone;
  const isKnown = isTimeZone(typed);

  function choose(next: ZoneKind): void {
    setText(next === 'other' ? '' : null);
    if (next !== 'other') changePreferences({ zone: next });
  }

  function type(next: string): void {
    setText(next);
    if (next.includes('/') && isTimeZone(next)) changePreferences({ zone: next });
  }

  return (
    <div className="flex flex-wrap items-center gap-x-[20px] gap-y-[4px]">
      <Choice
        legend="Time zone"
        name="zone"
        value={kind}
        options={[
          {
            value: 'local',
            label: localZone === null ? 'Of this browser' : `Of this browser (${localZone})`,
          },
          { value: 'UTC', label: 'UTC' },
          { value: 'other', label: 'Another' },
        ]}
        onChange={choose}
      />
      {kind === 'other' ? (
        <span className="inline-flex flex-wrap items-center gap-[8px]">
          <input
            className="field w-[200px]"
            aria-label="Name of the time zone"
            aria-describedby={`${id}-hint`}
            aria-invalid={typed !== '' && !isKnown}
            placeholder="Europe/Berlin"
            list={`${id}-zones`}
            spellCheck={false}
            autoComplete="off"
            value={typed}
            onChange={({ target }) => type(target.value)}
          />
          <datalist id={`${id}-zones`}>
            {Intl.supportedValuesOf('timeZone').map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
          <span id={`${id}-hint`} className="text-small text-ink2">
            {typed !== '' && !isKnown ? 'No zone has this name yet.' : 'A name such as Asia/Tokyo.'}
          </span>
        </span>
      ) : null}
      <span className="num basis-full text-small text-ink2">{formatInstant(now, shown)}</span>
    </div>
  );
}
