'use client';
import { useMutation } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { Invited, ListedInvitation, ListedPerson, PeopleList } from '@/core/api/people';
import { ROLES, type Role } from '@/core/identity/roles';
import { ApiError, fetchJson } from '../../data/fetch-json';
import { useTimeZone } from '../../data/use-time-zone';
import { capitalised } from '../../format/capitalised';
import { formatInstant } from '../../format/format-time';
import { formatCount } from '../../format/format-tokens';
import { Ago } from '../../ui/ago';
import { Button } from '../../ui/button';
import { Choice } from '../../ui/choice';
import { DataTable } from '../../ui/data-table';
import { Dialog } from '../../ui/dialog';
import { Field, Form, SelectField } from '../../ui/form-parts';
import { OnceDialog } from '../../ui/once-dialog';

const MAY: Record<Role, string> = {
  viewer: 'sees everything, with masked secrets',
  operator: 'also acknowledges alerts, writes notes and sends commands',
  admin: 'also changes settings, tokens and people, and unmasks or deletes transcripts',
};

/** Value of the option for every project, because no project has an empty name. */
const EVERYWHERE = '';
const roleWords = ({ project, role }: ListedPerson['roles'][number]): string =>
  `${role} of ${project ?? 'the server'}`;

interface PeoplePanelProps extends PeopleList {
  /** Projects that the viewer administers. */
  projects: readonly string[];
  /** Whether the viewer administers the server. */
  isServerAdmin: boolean;
}

export function PeoplePanel({ people, invitations, projects, isServerAdmin }: PeoplePanelProps) {
  const zone = useTimeZone();
  const [isInviting, setIsInviting] = useState(false);
  const [changed, setChanged] = useState<ListedPerson | null>(null);
  const choices = isServerAdmin ? [EVERYWHERE, ...projects] : projects;
  return (
    <>
      <DataTable
        label="People"
        rows={people}
        keyOf={({ id }) => id}
        columns={[
          { head: 'name', cell: ({ name }) => <span className="font-medium">{name}</span> },
          { head: 'e-mail', wide: true, cell: ({ email }) => email },
          { head: 'roles', wide: true, cell: ({ roles }) => roles.map(roleWords).join(', ') || 'none' },
          {
            head: 'last log-in',
            cell: ({ lastLoginAt: at, sessions }) =>
              at === null ? (
                <span className="text-ink2">never</span>
              ) : (
                <span title={formatCount(sessions, 'session')}>
                  <Ago at={at} /> ago
                </span>
              ),
          },
          {
            head: <span className="sr-only">Change</span>,
            right: true,
            cell: (person) => (
              <Button aria-label={`Change ${person.name}`} onClick={() => setChanged(person)}>
                Change
              </Button>
            ),
          },
        ]}
      />
      {invitations.length === 0 ? null : (
        <div className="pt-[18px]">
          <DataTable
            label="Open invitations"
            rows={invitations}
            keyOf={({ id }) => String(id)}
            columns={[
              { head: 'invited', cell: ({ email }) => email },
              { head: 'role', wide: true, cell: roleWords },
              { head: 'by', wide: true, cell: ({ invitedBy }) => invitedBy },
              { head: 'valid until', cell: ({ expiresAt }) => formatInstant(expiresAt, zone) },
              {
                head: <span className="sr-only">Delete</span>,
                right: true,
                cell: (invitation) => <DeleteInvitation {...invitation} />,
              },
            ]}
          />
        </div>
      )}
      <Button className="mt-[14px]" onClick={() => setIsInviting(true)}>
        Invite
      </Button>
      {isInviting ? <InviteDialog choices={choices} onClose={() => setIsInviting(false)} /> : null}
      {changed === null ? null : (
        <PersonDialog
          person={people.find(({ id }) => id === changed.id) ?? changed}
          choices={choices}
          isServerAdmin={isServerAdmin}
          onClose={() => setChanged(null)}
        />
      )}
    </>
  );
}

function DeleteInvitation({ id, email }: ListedInvitation) {
  const { refresh } = useRouter();
  const { isPending, mutate } = useMutation({
    mutationFn: () => fetchJson(`/api/v1/invitations/${id}`, { method: 'DELETE' }),
    onSettled: refresh,
  });
  return (
    <Button aria-label={`Delete the invitation of ${email}`} disabled={isPending} onClick={() => mutate()}>
      Delete
    </Button>
  );
}

interface RoleFieldsProps {
  choices: readonly string[];
  project: string;
  onProject: (project: string) => void;
  role: Role;
  onRole: (role: Role) => void;
}

function RoleFields({ choices, project, onProject, role, onRole }: RoleFieldsProps) {
  return (
    <>
      <SelectField
        label="Project"
        value={project}
        options={choices.map((name) => [name, name === EVERYWHERE ? 'All projects and the server' : name])}
        change={onProject}
      />
      <div>
        <Choice
          legend="Role"
          name="role"
          value={role}
          options={ROLES.map((value) => ({ value, label: capitalised(value) }))}
          onChange={onRole}
        />
        <p className="pt-[4px] text-small text-ink2">
          {role === 'viewer' ? 'A' : 'An'} {role} {MAY[role]}.
        </p>
      </div>
    </>
  );
}

/** Invites a person and shows the link once. */
function InviteDialog({ choices, onClose }: { choices: readonly string[]; onClose: () => void }) {
  const { refresh } = useRouter();
  const [email, setEmail] = useState('');
  const [project, setProject] = useState(choices.find((name) => name !== EVERYWHERE) ?? EVERYWHERE);
  const [role, setRole] = useState<Role>('viewer');
  const { data, error, isPending, mutate, reset } = useMutation({
    mutationFn: () =>
      fetchJson<Invited>('/api/v1/invitations', {
        method: 'POST',
        body: { email: email.trim(), project: project === EVERYWHERE ? null : project, role },
      }),
    onSuccess: refresh,
  });
  if (typeof data?.link === 'string') {
    return (
      <OnceDialog
        title={`Invitation for ${email.trim()}`}
        description="Shown only once. Send this link to the person; it works once, for seven days."
        secret={data.link}
        what="link"
        onClose={onClose}
      />
    );
  }
  if (data !== undefined) {
    return (
      <Dialog open onClose={onClose} title="Role added">
        <p className="form">{email.trim()} already has an account, and now has the role.</p>
      </Dialog>
    );
  }
  const isOfEmail = error instanceof ApiError && error.field === 'email';
  return (
    <Dialog open onClose={onClose} title="Invite a person">
      <Form failure={isOfEmail ? null : error} label="Create link" disabled={isPending} send={mutate}>
        <Field
          label="E-mail"
          problem={isOfEmail ? `The e-mail ${error.message}` : ''}
          type="email"
          maxLength={200}
          value={email}
          onValue={(value) => {
            setEmail(value);
            reset();
          }}
        />
        <RoleFields choices={choices} project={project} onProject={setProject} role={role} onRole={setRole} />
      </Form>
    </Dialog>
  );
}

interface PersonDialogProps {
  person: ListedPerson;
  choices: readonly string[];
  isServerAdmin: boolean;
  onClose: () => void;
}

function PersonDialog({ person, choices, isServerAdmin, onClose }: PersonDialogProps) {
  const { refresh } = useRouter();
  const [project, setProject] = useState(person.roles[0]?.project ?? choices[0] ?? EVERYWHERE);
  const [role, setRole] = useState<Role>(person.roles[0]?.role ?? 'viewer');
  const [isDeleting, setIsDeleting] = useState(false);
  const { error, isPending, mutate } = useMutation({
    mutationFn: (send: () => Promise<unknown>) => send(),
    onSuccess: refresh,
  });
  const path = `/api/v1/people/${person.id}`;
  const change = (next: Role | null) => () =>
    fetchJson(`${path}/role`, {
      method: 'PATCH',
      body: { project: project === EVERYWHERE ? null : project, role: next },
    });
  const here = person.roles.find((each) => (each.project ?? EVERYWHERE) === project);
  return (
    <Dialog
      open
      onClose={onClose}
      title={person.name}
      description={`${person.email}: ${person.roles.map(roleWords).join(', ') || 'no role'}`}
    >
      <Form
        failure={error}
        label="Set role"
        disabled={isPending}
        send={() => mutate(change(role))}
        more={
          here === undefined ? null : (
            <Button disabled={isPending} onClick={() => mutate(change(null))}>
              Remove role
            </Button>
          )
        }
      >
        <RoleFields choices={choices} project={project} onProject={setProject} role={role} onRole={setRole} />
      </Form>
      {isServerAdmin ? (
        <div className="form pt-0">
          <div className="actions border-t border-hair pt-[14px]">
            <Button
              disabled={isPending}
              onClick={() => mutate(() => fetchJson(`${path}/sessions`, { method: 'DELETE' }))}
            >
              End {formatCount(person.sessions, 'session')}
            </Button>
            <Button
              disabled={isPending}
              onClick={() => {
                if (!isDeleting) return setIsDeleting(true);
                mutate(() => fetchJson(path, { method: 'DELETE' }).then(onClose));
              }}
            >
              {isDeleting ? 'Delete permanently' : 'Delete account'}
            </Button>
          </div>
        </div>
      ) : null}
    </Dialog>
  );
}
