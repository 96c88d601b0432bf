import type { Metadata } from 'next';
import { type ReactNode, Suspense } from 'react';
import { AccountPanel } from '@/components/features/account/account-panel';
import { AuditLatest } from '@/components/features/settings/audit/audit-table';
import { LimitsTables } from '@/components/features/settings/limits-tables';
import { PeoplePanel } from '@/components/features/settings/people-panel';
import { PreferencesForm } from '@/components/features/settings/preferences-form';
import { ProjectsTable } from '@/components/features/settings/projects-table';
import { RetentionTable } from '@/components/features/settings/retention-table';
import { TokensPanel } from '@/components/features/settings/tokens-panel';
import { formatDuration } from '@/components/format/format-duration';
import { PageHead } from '@/components/ui/page-head';
import { PanelBoundary } from '@/components/ui/panel-boundary';
import { SECTION_SKELETON, Section, SettingRow } from '@/components/ui/section';
import type { AccessToken } from '@/core/api/settings';
import { projectsOf } from '@/core/identity/actor';
import { personOf } from '@/core/identity/roles';
import { listLimits } from '@/db/queries/list-limits';
import { listInvitations, listPeople } from '@/db/queries/people';
import { listProjectSettings } from '@/db/queries/project-settings';
import { listTokens, toAccessToken } from '@/db/queries/tokens';
import { listAudit } from '@/db/queries/transcripts/list-audit';
import { listKept } from '@/db/queries/transcripts/list-kept';
import { getSharedDb } from '@/db/shared-client';

export const metadata: Metadata = { title: 'Settings' };

interface SettingsPageProps {
  /** `project`: the project to list first. */
  searchParams: Promise<{ project?: string | string[] }>;
}

export default async function SettingsPage({ searchParams }: SettingsPageProps) {
  const { sql, idleAfterMs, viewer: viewerOf } = getSharedDb();
  const viewer = viewerOf();
  const person = personOf(viewer);
  const administered = viewer === null ? [] : projectsOf(viewer, ['admin']);
  const isServerAdmin = administered === null;
  const isAdmin = isServerAdmin || administered.length > 0;
  const { project } = await searchParams;
  const first = typeof project === 'string' ? project : '';
  return (
    <div className="page-x wide-type">
      <PageHead title="Settings">
        {person
          ? 'Your account, and settings of the server.'
          : 'Preferences of this browser, and settings of the server.'}
      </PageHead>
      {person ? (
        <Section id="account" title="Your account" note="A passkey logs you in without a password.">
          <PanelBoundary name="Your account">
            <AccountPanel name={person.name} email={person.email} />
          </PanelBoundary>
        </Section>
      ) : null}
      <Section
        id="browser"
        title={person ? 'Preferences' : 'This browser'}
        note={
          person ? 'Stored in your account, for every browser.' : 'Stored in this browser, for all its tabs.'
        }
      >
        <PanelBoundary name="The preferences">
          <PreferencesForm />
        </PanelBoundary>
      </Section>
      {/* One boundary for all sections, because a section that arrives later would move those below it. */}
      <Suspense fallback={SECTION_SKELETON}>
        <ReadSection
          id="projects"
          title="Projects"
          note="State thresholds and restart lines. A session can declare its own restart line."
          read={() => listProjectSettings(sql)}
        >
          {(projects) => <ProjectsTable projects={projects} first={first} />}
        </ReadSection>
        <ReadSection
          id="transcripts"
          title="Transcripts"
          note="Upload limits and retention. The server rejects uploads above a limit. Retention is off by default and deletes permanently."
          read={() => Promise.all([listProjectSettings(sql), listKept(sql)])}
        >
          {([projects, kept]) => <RetentionTable projects={projects} kept={kept} first={first} />}
        </ReadSection>
        <ReadSection
          id="limits"
          title="Limits per model"
          note="Order of precedence: turn, client (also its status line and API errors), session, project setting, learned limit, model table, assumed limit. A setting never overrides a limit that a runner or client states."
          read={() => Promise.all([listProjectSettings(sql), listLimits(sql)])}
        >
          {([projects, limits]) => <LimitsTables projects={projects} limits={limits} first={first} />}
        </ReadSection>
        {isServerAdmin ? (
          <ReadSection
            id="tokens"
            title="Access tokens"
            note="For runners and programs. The two local tokens belong to commands on this machine; the server replaces revoked ones at its next start."
            read={readTokens}
          >
            {(tokens) => <TokensPanel tokens={tokens} />}
          </ReadSection>
        ) : isAdmin ? (
          <Section id="tokens" title="Access tokens" note="For runners and programs.">
            Only a server admin can create access tokens, including tokens for one project.
          </Section>
        ) : null}
        {person === null ? (
          <Section id="people" title="People" note="Accounts are off.">
            <p className="max-w-[72ch]">
              Every browser on this machine has full access and appears as <b>browser</b> in the audit log.
              Programs have the scopes of their tokens.{' '}
              <code className="font-mono text-small">BAROGRAPH_AUTH=on</code> gives each person an account.
            </p>
          </Section>
        ) : null}
        {person && isAdmin ? (
          <ReadSection
            id="people"
            title="People"
            note="Accounts and their roles. An invitation is a link that works once."
            read={() => readPeople(administered)}
          >
            {(list) => <PeoplePanel {...list} isServerAdmin={isServerAdmin} />}
          </ReadSection>
        ) : null}
        <ReadSection
          id="audit"
          title="Audit log"
          note="Access to transcripts, changes of settings and tokens. Append-only."
          read={() => listAudit(sql, { limit: 5 })}
        >
          {({ entries }) => <AuditLatest entries={entries} />}
        </ReadSection>
        <Section
          id="server"
          title="This server"
          note="Set by environment variables at start; read-only here."
        >
          <dl>
            <SettingRow name="Idle after">
              <span className="num">{formatDuration(idleAfterMs)}</span>
              <span className="text-ink2"> without a turn, set by </span>
              <code className="font-mono text-small">BAROGRAPH_IDLE_AFTER_MINUTES</code>
            </SettingRow>
          </dl>
        </Section>
      </Suspense>
    </div>
  );
}

interface ReadSectionProps<T> {
  id: string;
  title: string;
  note: string;
  read: () => Promise<T>;
  children: (data: T) => ReactNode;
}

/** A section with data from the database. It fails independently of the other sections. */
function ReadSection<T>(props: ReadSectionProps<T>) {
  return (
    <Section id={props.id} title={props.title} note={props.note}>
      <PanelBoundary name={props.title}>
        <Content {...props} />
      </PanelBoundary>
    </Section>
  );
}

async function Content<T>({ read, children, title }: ReadSectionProps<T>) {
  return read().then(children, () => (
    <p role="alert" className="border-y border-hair py-[10px]">
      {title} could not be loaded: the database did not answer. Reload the page in a moment.
    </p>
  ));
}

/** @param administered projects; null: all */
async function readPeople(administered: readonly string[] | null) {
  const { sql } = getSharedDb();
  const [people, invitations, projects] = await Promise.all([
    listPeople(sql, administered),
    listInvitations(sql, administered),
    administered ?? listProjectSettings(sql).then((all) => all.map(({ project }) => project)),
  ]);
  return { people, invitations, projects };
}

async function readTokens(): Promise<AccessToken[]> {
  return (await listTokens(getSharedDb().sql)).map(toAccessToken);
}
