/** Accounts of people. The first five tables have the fields that better-auth expects, under its names. */
import { sql } from 'drizzle-orm';
import { check, index, pgTable, text, timestamp, unique } from 'drizzle-orm/pg-core';
import { bytea, time } from './columns';

/** better-auth passes dates instead of texts. */
const instant = () => timestamp({ withTimezone: true, mode: 'date', precision: 3 });
const madeAndChanged = () => ({
  createdAt: instant().notNull().default(sql`now()`),
  updatedAt: instant().notNull().default(sql`now()`),
});
const personId = () => text().notNull();
const ofPerson = () => personId().references(() => people.id, { onDelete: 'cascade' });

export const people = pgTable('people', (c) => ({
  id: c.text().primaryKey(),
  name: c.text().notNull(),
  email: c.text().notNull().unique(),
  emailVerified: c.boolean().notNull().default(false),
  image: c.text(),
  ...madeAndChanged(),
  /** As in the preferences cookie of a server without accounts. */
  preferences: c.text().notNull().default(''),
}));

/** Sessions of browsers. Deleting a row logs the browser out. */
export const logins = pgTable(
  'logins',
  (c) => ({
    id: c.text().primaryKey(),
    token: c.text().notNull().unique(),
    userId: ofPerson(),
    expiresAt: instant().notNull(),
    ipAddress: c.text(),
    userAgent: c.text(),
    ...madeAndChanged(),
  }),
  (t) => [index('logins_person').on(t.userId)],
);

/** Ways to log in: a password (argon2id), or an account of the single sign-on provider. */
export const credentials = pgTable(
  'credentials',
  (c) => ({
    id: c.text().primaryKey(),
    accountId: c.text().notNull(),
    providerId: c.text().notNull(),
    userId: ofPerson(),
    accessToken: c.text(),
    refreshToken: c.text(),
    idToken: c.text(),
    accessTokenExpiresAt: instant(),
    refreshTokenExpiresAt: instant(),
    scope: c.text(),
    password: c.text(),
    ...madeAndChanged(),
  }),
  (t) => [
    unique('credentials_provider').on(t.providerId, t.accountId),
    index('credentials_person').on(t.userId),
  ],
);

/** Challenges of passkeys and states of single sign-on. */
export const challenges = pgTable(
  'challenges',
  (c) => ({
    id: c.text().primaryKey(),
    identifier: c.text().notNull(),
    value: c.text().notNull(),
    expiresAt: instant().notNull(),
    ...madeAndChanged(),
  }),
  (t) => [index('challenges_identifier').on(t.identifier)],
);

export const passkeys = pgTable(
  'passkeys',
  (c) => ({
    id: c.text().primaryKey(),
    name: c.text(),
    publicKey: c.text().notNull(),
    userId: ofPerson(),
    credentialID: c.text('credential_id').notNull().unique(),
    counter: c.integer().notNull(),
    deviceType: c.text().notNull(),
    backedUp: c.boolean().notNull(),
    transports: c.text(),
    createdAt: instant(),
    aaguid: c.text(),
  }),
  (t) => [index('passkeys_person').on(t.userId)],
);

const ROLE_CHECK = sql.raw(`role in ('viewer', 'operator', 'admin')`);

export const roles = pgTable(
  'roles',
  (c) => ({
    personId: ofPerson(),
    /** Null: every project, and the server. */
    project: c.text(),
    role: c.text().notNull(),
  }),
  (t) => [
    unique('roles_person_project').on(t.personId, t.project).nullsNotDistinct(),
    check('roles_role', ROLE_CHECK),
  ],
);

/** Links that make an account. Only the SHA-256 of the link's secret is stored. */
export const invitations = pgTable(
  'invitations',
  (c) => ({
    id: c.integer().primaryKey().generatedAlwaysAsIdentity(),
    hash: bytea().notNull().unique(),
    /** Null: the first admin chooses it. */
    email: c.text(),
    project: c.text(),
    role: c.text().notNull(),
    invitedBy: c.text().notNull(),
    createdAt: time().notNull().default(sql`now()`),
    expiresAt: time().notNull(),
    usedAt: time(),
  }),
  () => [check('invitations_role', ROLE_CHECK)],
);
