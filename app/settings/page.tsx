import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { type ReactNode, Suspense } from 'react';
import { formatDuration } from '@/components/format/format-duration';
import { AuditLatest } from '@/components/settings/audit-latest';
import { KeptTable } from '@/components/settings/kept-table';
import { LimitsTables } from '@/components/settings/limits-tables';
import { MembersTable } from '@/components/settings/members-table';
import { PreferencesForm } from '@/components/settings/preferences-form';
import { ProjectsTable } from '@/components/settings/projects-table';
import { Section } from '@/components/settings/section';
import { SectionFailed, SectionSkeleton } from '@/components/settings/section-skeleton';
import { TokensPanel } from '@/components/settings/tokens-panel';
import { PageHead } from '@/components/ui/page-head';
import { PanelBoundary } from '@/components/ui/panel-boundary';
import type { AccessToken } from '@/core/api/settings';
import { listKept } from '@/db/queries/settings/list-kept';
import { listLimits } from '@/db/queries/settings/list-limits';
import { listProjectSettings } from '@/db/queries/settings/project-settings';
import { listTokens } from '@/db/queries/tokens/list-tokens';
import { listAudit } from '@/db/queries/transcripts/list-audit';
import { getSharedDb } from '@/db/shared-client';

export const metadata: Metadata = { title: 'Settings' };

interface SettingsPageProps {
  /** `project`: the one to look for in the tables of projects. */
  searchParams: Promise<{ project?: string | string[] }>;
}

export default function SettingsPage({ searchParams }: SettingsPageProps) {
  return (
    <div className="page-x">
      <PageHead title="Settings">
        How this browser shows things, and what holds on this server for everybody.
      </PageHead>
      <Section id="browser" title="This browser" note="Kept here, in all tabs; nobody else sees it.">
        <PanelBoundary name="The preferences">
          <PreferencesForm />
        </PanelBoundary>
      </Section>
      <ReadSection
        id="projects"
        title="Projects"
        note="Where states begin, and where a runner that restarts at the project’s line does so; a session may declare its own. A change holds from the next turn on."
        part="Projects"
        rows={4}
      >
        <Projects searchParams={searchParams} />
      </ReadSection>
      <ReadSection
        id="transcripts"
        title="Transcripts"
        note="How many are taken in and how long they are kept. A limit refuses what is beyond it and says so; retention is off until a project sets it, and deletes for good."
        part="Transcripts"
        rows={4}
      >
        <Kept searchParams={searchParams} />
      </ReadSection>
      <ReadSection
        id="limits"
        title="Limits per model"
        note="The first that exists: what the turn says, its client, its session, the table, what was learned. What a runner or client states is never overruled."
        part="Limits"
        rows={8}
      >
        <Limits />
      </ReadSection>
      <ReadSection
        id="tokens"
        title="Access tokens"
        note="For runners and programs. The two named local are those of commands on this machine; revoked, they are made anew at the next start."
        part="Tokens"
        rows={3}
      >
        <Tokens />
      </ReadSection>
      <ReadSection
        id="members"
        title="Members and roles"
        note="Who may do what on this server, as long as it has no accounts."
        part="Roles"
        rows={4}
      >
        <Members />
      </ReadSection>
      <ReadSection
        id="audit"
        title="Audit log"
        note="Who read, searched, saved, unmasked or deleted transcripts, and who changed settings and tokens. Only ever added to."
        part="The audit log"
        rows={5}
      >
        <Audit />
      </ReadSection>
      <Section id="server" title="This server" note="Set where it is started, and only read here.">
        <dl className="settings-rows">
          <div>
            <dt>Idle after</dt>
            <dd>
              <span className="num">{formatDuration(getSharedDb().idleAfterMs)}</span>
              <span className="text-ink2"> without a turn, set by </span>
              <code className="font-mono text-small">BAROGRAPH_IDLE_AFTER_MINUTES</code>
            </dd>
          </div>
        </dl>
      </Section>
    </div>
  );
}

interface ReadSectionProps {
  id: string;
  title: string;
  note: string;
  /** What breaks, in the sentence that says so. */
  part: string;
  /** How high it is about, in rows, while it is read. */
  rows: number;
  children: ReactNode;
}

/** A section that is read from the database: it waits and breaks alone. */
function ReadSection({ id, title, note, part, rows, children }: ReadSectionProps) {
  return (
    <Section id={id} title={title} note={note}>
      <PanelBoundary name={part}>
        <Suspense fallback={<SectionSkeleton rows={rows} />}>{children}</Suspense>
      </PanelBoundary>
    </Section>
  );
}

async function Projects({ searchParams }: SettingsPageProps) {
  const find = findOf(await searchParams);
  const projects = await listProjectSettings(getSharedDb().sql).catch(() => null);
  if (projects === null) return <SectionFailed what="Projects" />;
  return <ProjectsTable initial={projects} find={find} />;
}

async function Kept({ searchParams }: SettingsPageProps) {
  const { sql } = getSharedDb();
  const find = findOf(await searchParams);
  const read = await Promise.all([listProjectSettings(sql), listKept(sql)]).catch(() => null);
  if (read === null) return <SectionFailed what="Transcripts" />;
  const [projects, kept] = read;
  return <KeptTable initial={projects} kept={kept} find={find} />;
}

function findOf({ project }: { project?: string | string[] }): string {
  return typeof project === 'string' ? project : '';
}

async function Limits() {
  const limits = await listLimits(getSharedDb().sql).catch(() => null);
  return limits === null ? <SectionFailed what="Limits" /> : <LimitsTables limits={limits} />;
}

async function Tokens() {
  const tokens = await readTokens();
  return tokens === null ? <SectionFailed what="Tokens" /> : <TokensPanel initial={tokens} />;
}

async function Members() {
  const tokens = await readTokens();
  if (tokens === null) return <SectionFailed what="Roles" />;
  const host = (await headers()).get('host') ?? 'this address';
  return <MembersTable tokens={tokens} address={host} />;
}

async function readTokens(): Promise<AccessToken[] | null> {
  const tokens = await listTokens(getSharedDb().sql).catch(() => null);
  return (
    tokens?.map((token) => ({
      ...token,
      createdAt: token.createdAt.toISOString(),
      lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
    })) ?? null
  );
}

/** Entries that stand on this page. */
const LATEST = 5;

async function Audit() {
  const log = await listAudit(getSharedDb().sql, { limit: LATEST }).catch(() => null);
  return log === null ? <SectionFailed what="The audit log" /> : <AuditLatest entries={log.entries} />;
}
