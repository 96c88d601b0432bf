'use client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { RuleDefinition } from '@/core/alerts/rule';
import type { AlertChannel, StoredRule } from '@/core/api/alerts';
import { MUTE_MINUTES } from '../../alerts/alert-actions';
import { RuleName } from '../../alerts/alert-mark';
import { fetchJson } from '../../data/fetch-json';
import { useNow } from '../../data/use-clock';
import { useMay } from '../../preferences/viewer';
import { Button } from '../../ui/button';
import { DataTable } from '../../ui/data-table';
import { Notice } from '../../ui/form-parts';
import { lazyPart } from '../../ui/lazy-part';
import { ruleWords } from './rule-form';

const MINUTE = 60_000;
const RuleDialog = lazyPart(() => import('./rule-dialog'));

interface RulesTableProps {
  rules: readonly StoredRule[];
  channels: readonly AlertChannel[];
  refresh: () => void;
}

export function RulesTable({ rules, channels, refresh }: RulesTableProps) {
  const [edited, setEdited] = useState<StoredRule | 'new' | null>(null);
  const canEdit = useMay()('admin', null);
  const { mutate, error, isPending, variables } = useMutation({
    mutationFn: ({ id, version, definition, ...change }: StoredRule & Partial<RuleDefinition>) =>
      fetchJson<StoredRule>(`/api/v1/alert-rules/${id}`, {
        method: 'PATCH',
        body: { version, definition: { ...definition, ...change } },
      }),
    onSettled: refresh,
  });
  const now = useNow(MINUTE);
  const isMuted = ({ enabled, mutedUntil }: RuleDefinition) =>
    enabled && mutedUntil !== null && Date.parse(mutedUntil) > now;
  const muteWord = (definition: RuleDefinition) => (isMuted(definition) ? 'Unmute' : 'Mute 1 h');
  const hourOn = new Date(now + MUTE_MINUTES * MINUTE).toISOString();
  const nameOf = (id: string) => channels.find((channel) => channel.id === id)?.name ?? '–';
  return (
    <>
      <Notice failure={error} />
      <DataTable
        label="Rules"
        rows={rules}
        keyOf={({ id }) => id}
        columns={[
          {
            head: 'rule',
            beside: true,
            cell: ({ definition }) => <RuleName {...definition} />,
          },
          {
            head: 'condition',
            wide: true,
            cell: ({ definition }) => (
              <span className="text-ink2">
                {ruleWords(definition)}
                {isMuted(definition) ? ' · muted' : ''}
              </span>
            ),
          },
          {
            head: 'channels',
            wide: true,
            cell: ({ definition: { channels: ids } }) =>
              ids.length === 0 ? <span className="text-ink2">no channel</span> : ids.map(nameOf).join(', '),
          },
          {
            head: <span className="sr-only">{canEdit ? 'Actions' : 'State'}</span>,
            right: true,
            beside: true,
            cell: (rule) =>
              canEdit ? (
                <span className="inline-flex gap-[6px]">
                  {rule.definition.enabled ? (
                    <Button
                      aria-label={`${muteWord(rule.definition)} ${rule.definition.name}`}
                      disabled={isPending && variables?.id === rule.id}
                      onClick={() =>
                        mutate({ ...rule, mutedUntil: isMuted(rule.definition) ? null : hourOn })
                      }
                    >
                      {muteWord(rule.definition)}
                    </Button>
                  ) : null}
                  <button
                    type="button"
                    role="switch"
                    aria-checked={rule.definition.enabled}
                    aria-label={rule.definition.name}
                    className="switch"
                    disabled={isPending && variables?.id === rule.id}
                    onClick={() => mutate({ ...rule, enabled: !rule.definition.enabled })}
                  >
                    {rule.definition.enabled ? 'on' : 'off'}
                  </button>
                  <Button aria-label={`Edit ${rule.definition.name}`} onClick={() => setEdited(rule)}>
                    Edit
                  </Button>
                </span>
              ) : (
                <span className="text-ink2">{rule.definition.enabled ? 'on' : 'off'}</span>
              ),
          },
        ]}
      />
      {canEdit ? (
        <Button className="mt-[14px]" onClick={() => setEdited('new')}>
          New rule
        </Button>
      ) : null}
      {edited === null ? null : (
        <RuleDialog
          rule={edited === 'new' ? null : edited}
          channels={channels}
          onClose={() => setEdited(null)}
          onSaved={() => {
            setEdited(null);
            refresh();
          }}
        />
      )}
    </>
  );
}
