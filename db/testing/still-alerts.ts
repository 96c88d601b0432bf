import type postgres from 'postgres';

const RULES = {
  pressure: 'ba309a90-0000-4000-8000-000000000002',
  compaction: 'ba309a90-0000-4000-8000-000000000004',
  archiveFailed: 'ba309a90-0000-4000-8000-000000000008',
} as const;
const alertId = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** Two firing alerts and two resolved ones of the demo's fleet, two channels and a dead letter, for pictures. */
export async function setStillAlerts(sql: postgres.Sql, now: Date): Promise<void> {
  // The sessions of other projects start no alerts.
  const scope = { project: ['web-shop'], runner: [], model: [], title: [], branch: [] };
  await sql`
    update alert_rules set definition = definition || ${sql.json({ enabled: true, scope })}
    where id = any(${Object.values(RULES)}::uuid[])`;
  const line = { name: 'Pressure above 75 %', condition: { kind: 'pressure', atLeast: 0.75 } };
  await sql`update alert_rules set definition = definition || ${sql.json(line)} where id = ${RULES.pressure}`;
  const at = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
  const add = (alert: {
    number: number;
    rule: keyof typeof RULES;
    session: string;
    text: string;
    fired: number;
    resolved?: number;
    acknowledged?: boolean;
  }) => sql`
    insert into alerts (id, rule_id, session_id, phase, since, fired_at, resolved_at, resolved_by, acknowledged_at,
      acknowledged_by, severity, text)
    select ${alertId(alert.number)}, r.id, s.id, ${alert.resolved === undefined ? 'firing' : 'resolved'}, ${at(alert.fired)},
      ${at(alert.fired)}, ${alert.resolved === undefined ? null : at(alert.resolved)},
      ${alert.resolved === undefined ? null : 'cleared'}, ${alert.acknowledged ? at(alert.fired - 1) : null},
      ${alert.acknowledged ? 'operator' : null}, r.definition->>'severity', ${alert.text}
    from sessions s, alert_rules r
    where s.key = ${`demo-fleet/${alert.session}`} and s.deleted_at is null and r.id = ${RULES[alert.rule]}`;
  await add({
    number: 1,
    rule: 'pressure',
    session: '03',
    text: 'Pressure 76 %, 152 k of 200 k tokens.',
    fired: 2,
  });
  await add({
    number: 2,
    rule: 'archiveFailed',
    session: '06',
    text: 'The transcript was not archived: no space left on device.',
    fired: 18,
    acknowledged: true,
  });
  await add({
    number: 3,
    rule: 'compaction',
    session: '01',
    text: 'Compaction started.',
    fired: 41,
    resolved: 40,
  });
  await add({
    number: 4,
    rule: 'pressure',
    session: '05',
    text: 'Pressure 78 %, 156 k of 200 k tokens.',
    fired: 65,
    resolved: 52,
  });
  const [slack] = await sql<{ id: string }[]>`
    insert into alert_channels (name, kind, config, secret, created_at)
    values ('Operations', 'slack', '{}', '{"url": "https://slack.example/"}', ${at(900)}),
      ('On call', 'email', '{"to": ["on-call@example.com"]}', '{}', ${at(899)})
    returning id`;
  const [delivery] = await sql<{ id: string }[]>`
    insert into alert_deliveries (channel_id, state, attempts, error, created_at)
    values (${slack?.id ?? null}, 'dead', 12, 'The receiver answered status 503.', ${at(65)}) returning id`;
  await sql`
    insert into alert_outbox (channel_id, alert_id, notice, not_before, delivery_id)
    values (${slack?.id ?? null}, ${alertId(4)}, '{"text": "Pressure 78 %, 156 k of 200 k tokens."}', ${at(65)}, ${delivery?.id ?? null})`;
}
