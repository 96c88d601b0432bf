'use client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { SEVERITIES } from '@/core/alerts/names';
import type { AlertScope, RuleDefinition } from '@/core/alerts/rule';
import type { AlertChannel, StoredRule } from '@/core/api/alerts';
import { COMMAND_ACTIONS } from '@/core/protocol/commands';
import { COMMAND_LABELS } from '../../commands/command-words';
import { fetchJson } from '../../data/fetch-json';
import { useTimeZone } from '../../data/use-time-zone';
import { capitalised } from '../../format/capitalised';
import { Button } from '../../ui/button';
import { Choice } from '../../ui/choice';
import { Dialog } from '../../ui/dialog';
import { Field, Form, SelectField } from '../../ui/form-parts';
import { ConditionFields } from './condition-fields';
import { NumberField } from './number-field';
import { newRule, SCOPES, toPatterns } from './rule-form';
import { RulePreviewPart } from './rule-preview';

interface RuleDialogProps {
  /** Null: a new rule. */
  rule: StoredRule | null;
  channels: readonly AlertChannel[];
  onClose: () => void;
  onSaved: () => void;
}

export default function RuleDialog({ rule, channels, onClose, onSaved }: RuleDialogProps) {
  const [edited, setEdited] = useState<RuleDefinition>(rule?.definition ?? newRule());
  const [scope, setScope] = useState(() => scopeTexts(edited.scope));
  const change = (part: Partial<RuleDefinition>) => setEdited({ ...edited, ...part });
  const { mutate, error, isPending } = useMutation({
    mutationFn: (action: 'save' | 'delete') => {
      const path = rule === null ? '/api/v1/alert-rules' : `/api/v1/alert-rules/${rule.id}`;
      if (action === 'delete') return fetchJson<unknown>(path, { method: 'DELETE' });
      const body = rule === null ? edited : { version: rule.version, definition: edited };
      return fetchJson<unknown>(path, { method: rule === null ? 'POST' : 'PATCH', body });
    },
    onSuccess: onSaved,
  });
  const isChanged = JSON.stringify(edited) !== JSON.stringify(rule?.definition ?? newRule());
  return (
    <Dialog
      open
      onClose={onClose}
      unsaved={isChanged ? 'The rule is not saved.' : null}
      title={rule === null ? 'New rule' : rule.definition.name}
      className="top-[6vh] w-[860px]"
    >
      <Form
        failure={error}
        label={isPending ? 'Saving' : 'Save'}
        disabled={isPending}
        send={() => mutate('save')}
        more={
          rule === null ? null : (
            <Button disabled={isPending} onClick={() => mutate('delete')}>
              Delete rule
            </Button>
          )
        }
      >
        <div className="grid gap-x-[24px] gap-y-[14px] sm:grid-cols-2">
          <Field label="Name" maxLength={100} value={edited.name} onValue={(name) => change({ name })} />
          <div>
            <span className="block text-small text-ink2">Severity</span>
            <Choice
              legend="Severity"
              name="severity"
              value={edited.severity}
              options={SEVERITIES.map((value) => ({ value, label: capitalised(value) }))}
              onChange={(severity) => change({ severity })}
            />
          </div>
          <ConditionFields condition={edited.condition} change={(condition) => change({ condition })} />
          <NumberField
            label="Delay before firing, s"
            value={edited.forSeconds}
            change={(forSeconds) => change({ forSeconds })}
          />
          <NumberField
            label="Delay before resolving, s"
            value={edited.resolveSeconds}
            change={(resolveSeconds) => change({ resolveSeconds })}
          />
          {SCOPES.map(([field, label]) => (
            <Field
              key={field}
              label={label}
              placeholder="all; * matches any text"
              value={scope[field]}
              onValue={(text) => {
                setScope({ ...scope, [field]: text });
                change({ scope: { ...edited.scope, [field]: toPatterns(text) } });
              }}
            />
          ))}
          <NumberField
            label="Repeat, min"
            placeholder="never"
            value={edited.repeatMinutes}
            change={(minutes) => change({ repeatMinutes: minutes === 0 ? null : minutes })}
          />
          <GroupFields rule={edited} change={change} />
          <QuietFields rule={edited} change={change} />
        </div>
        <ChannelChoice channels={channels} rule={edited} change={change} />
        <ActionFields rule={edited} change={change} />
        <RulePreviewPart rule={edited} />
      </Form>
    </Dialog>
  );
}

interface PartProps {
  rule: RuleDefinition;
  change: (part: Partial<RuleDefinition>) => void;
}

function GroupFields({ rule: { group }, change }: PartProps) {
  return (
    <div className="grid grid-cols-2 gap-x-[12px]">
      <SelectField
        label="Group messages"
        value={group?.by ?? ''}
        options={[
          ['', 'one per alert'],
          ['rule', 'by rule'],
          ['project', 'by project'],
        ]}
        change={(by) =>
          change({ group: by === 'rule' || by === 'project' ? { by, seconds: group?.seconds ?? 30 } : null })
        }
      />
      {group === null ? null : (
        <NumberField
          label="Grouping time, s"
          value={group.seconds}
          change={(seconds) => change({ group: { ...group, seconds: seconds ?? 30 } })}
        />
      )}
    </div>
  );
}

function QuietFields({ rule: { quiet }, change }: PartProps) {
  const zone = useTimeZone();
  return (
    <div className="grid grid-cols-3 gap-x-[12px]">
      <SelectField
        label="Quiet hours"
        value={quiet === null ? '' : 'on'}
        options={[
          ['', 'none'],
          ['on', quiet?.zone ?? zone],
        ]}
        change={(value) =>
          change({
            quiet: value === '' ? null : { zone, from: '22:00', to: '07:00', days: [0, 1, 2, 3, 4, 5, 6] },
          })
        }
      />
      {quiet === null
        ? null
        : (['from', 'to'] as const).map((end) => (
            <Field
              key={end}
              label={end === 'from' ? 'From' : 'Until'}
              type="time"
              className="num"
              value={quiet[end]}
              onValue={(time) => change({ quiet: { ...quiet, [end]: time } })}
            />
          ))}
    </div>
  );
}

/** The command of the rule; none for a condition of a runner. */
function ActionFields({ rule: { action, condition }, change }: PartProps) {
  if (condition.kind.startsWith('runner_')) return null;
  return (
    <div className="grid gap-x-[24px] gap-y-[14px] sm:grid-cols-2">
      <SelectField
        label="Command to the runner"
        value={action?.command ?? ''}
        options={[['', 'none'], ...COMMAND_ACTIONS.map((name) => [name, COMMAND_LABELS[name]] as const)]}
        change={(value) => {
          const command = COMMAND_ACTIONS.find((name) => name === value);
          change({ action: command === undefined ? null : { command, text: command === 'say' ? '' : null } });
        }}
      />
      {action?.command === 'say' ? (
        <Field
          label="Message"
          maxLength={10_000}
          value={action.text ?? ''}
          onValue={(text) => change({ action: { command: 'say', text } })}
        />
      ) : null}
      {action === null ? null : (
        <p className="text-small text-ink2 sm:col-span-2">
          Sent once per alert, to runners that accept commands. Requires BAROGRAPH_COMMANDS.
        </p>
      )}
    </div>
  );
}

function ChannelChoice({ channels, rule, change }: PartProps & Pick<RuleDialogProps, 'channels'>) {
  const chosen = new Set(rule.channels);
  const choose = (id: string, isChosen: boolean) => {
    chosen[isChosen ? 'add' : 'delete'](id);
    change({ channels: [...chosen] });
  };
  return (
    <fieldset>
      <legend className="text-small text-ink2">Channels</legend>
      {channels.length === 0 ? (
        <p className="pt-[4px]">No channels yet. The alerts show on the pages.</p>
      ) : (
        <div className="flex flex-wrap gap-x-[20px] gap-y-[4px] pt-[4px]">
          {channels.map(({ id, name, enabled }) => (
            <label key={id} className="inline-flex! items-center gap-[6px] text-ink!">
              <input
                type="checkbox"
                checked={chosen.has(id)}
                onChange={({ target }) => choose(id, target.checked)}
              />
              {name}
              {enabled ? '' : ' (off)'}
            </label>
          ))}
        </div>
      )}
    </fieldset>
  );
}

function scopeTexts(scope: AlertScope): Record<keyof AlertScope, string> {
  return Object.fromEntries(SCOPES.map(([field]) => [field, scope[field].join(', ')])) as Record<
    keyof AlertScope,
    string
  >;
}
