'use client';
import { useState } from 'react';
import { MOST_AUTHOR_CHARACTERS } from '@/core/notes/limits';
import { useNow } from '../../data/use-clock';
import { useTimeZone } from '../../data/use-time-zone';
import { capitalised } from '../../format/capitalised';
import { formatInstant } from '../../format/format-time';
import { RANGE_NAMES, RANGE_WORDS, type RangeName } from '../../format/range-names';
import { DENSITIES, LOCAL_ZONE, THEMES } from '../../preferences/preferences';
import { changePreferences, usePreferences } from '../../preferences/preferences-provider';
import { useAccountName } from '../../preferences/viewer';
import { Choice } from '../../ui/choice';
import { SettingRow } from '../../ui/section';

const CHOICES = [
  ['theme', 'Theme', THEMES],
  ['density', 'Row height', DENSITIES],
] as const;

/** Preferences of this browser or account, applied at once in every tab. */
export function PreferencesForm() {
  const preferences = usePreferences();
  const { range, author } = preferences;
  const account = useAccountName();
  return (
    <dl className="grid gap-x-[36px] xl:grid-cols-2">
      {CHOICES.map(([key, name, values]) => (
        <SettingRow key={key} name={name}>
          <Choice
            legend={name}
            name={key}
            value={preferences[key]}
            options={values.map((value) => ({ value, label: capitalised(value) }))}
            onChange={(next) => changePreferences({ [key]: next })}
          />
        </SettingRow>
      ))}
      <SettingRow name="Times">
        <ZoneChoice />
      </SettingRow>
      <SettingRow name="Default history range">
        <select
          className="field pr-[8px]"
          aria-label="Default history range"
          value={range}
          onChange={({ target }) => changePreferences({ range: target.value as RangeName })}
        >
          {RANGE_NAMES.map((name) => (
            <option key={name} value={name}>
              {RANGE_WORDS[name]}
            </option>
          ))}
        </select>
      </SettingRow>
      {account === null ? (
        <SettingRow name="Author of notes">
          <input
            className="field w-[200px] max-w-full"
            aria-label="Author of notes"
            placeholder="no name"
            maxLength={MOST_AUTHOR_CHARACTERS}
            autoComplete="off"
            value={author}
            onChange={({ target }) => changePreferences({ author: target.value })}
          />
        </SettingRow>
      ) : null}
    </dl>
  );
}

function ZoneChoice() {
  const { zone, localZone } = usePreferences();
  const shown = useTimeZone();
  const now = useNow(1_000);
  const [isOpen, setIsOpen] = useState(false);
  const isOther = isOpen || (zone !== LOCAL_ZONE && zone !== 'UTC');
  return (
    <div className="flex flex-wrap items-center gap-x-[20px] gap-y-[4px]">
      <Choice
        legend="Time zone"
        name="zone"
        value={isOther ? 'other' : zone}
        options={[
          { value: LOCAL_ZONE, label: localZone === null ? 'Browser' : `Browser (${localZone})` },
          { value: 'UTC', label: 'UTC' },
          { value: 'other', label: 'Other' },
        ]}
        onChange={(next) => {
          setIsOpen(next === 'other');
          if (next !== 'other') changePreferences({ zone: next });
        }}
      />
      {isOther ? (
        <select
          className="field"
          aria-label="Time zone name"
          value={shown}
          onChange={({ target }) => changePreferences({ zone: target.value })}
        >
          {[...new Set([shown, ...Intl.supportedValuesOf('timeZone')])].map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      ) : null}
      <span className="num basis-full text-small text-ink2">{formatInstant(now, shown)}</span>
    </div>
  );
}
