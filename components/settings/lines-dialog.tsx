'use client';
import { useId } from 'react';
import { THRESHOLD_NAMES, type ThresholdName } from '@/core/accounting/threshold-problem';
import { DEFAULT_THRESHOLDS } from '@/core/accounting/thresholds';
import type { ProjectSettings } from '@/core/api/settings';
import { formatPercent } from '../format/format-percent';
import {
  findLineProblems,
  LINE_NAME,
  NO_LINE_FIELDS,
  percentText,
  readChange,
  toFields,
} from './line-fields';
import { SettingField, SettingsDialog } from './settings-dialog';
import { type SettingsPart, useSettingsForm } from './use-settings-form';

const LINES: SettingsPart<ThresholdName> = {
  key: 'thresholds',
  names: THRESHOLD_NAMES,
  called: 'lines',
  other: 'what this project keeps of transcripts',
  fieldsOf: ({ own }) => toFields(own),
  problemsOf: (fields, { own }) => findLineProblems(fields, own),
  changeOf: (fields, { own }) => readChange(fields, own),
  wordsOf: (name, { thresholds }) => `${LINE_NAME[name]} ${percentText(thresholds[name])} %`,
};

interface LinesDialogProps {
  settings: ProjectSettings;
  onChanged: (settings: ProjectSettings) => void;
  onClose: () => void;
}

/** The lines of one project. */
export function LinesDialog({ settings, onChanged, onClose }: LinesDialogProps) {
  const form = useSettingsForm({ settings, part: LINES, onChanged, onClose });
  const id = useId();
  return (
    <SettingsDialog
      form={form}
      title={`Lines of ${settings.project}`}
      description="Shares of the limit, in percent. They hold from the next turn on: what was recorded is not rewritten. An empty field is the default; a restart line above 100 means never."
      className="top-[10vh] w-[520px]"
      defaults={NO_LINE_FIELDS}
      onClose={onClose}
    >
      <div className="lines">
        {THRESHOLD_NAMES.map((name) => (
          <SettingField
            key={name}
            form={form}
            name={name}
            label={`${LINE_NAME[name]}, %`}
            subject={LINE_NAME[name]}
            placeholder={`${formatPercent(DEFAULT_THRESHOLDS[name])} by default`}
            inputMode="decimal"
            idPrefix={id}
          />
        ))}
      </div>
    </SettingsDialog>
  );
}
