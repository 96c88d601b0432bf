/** Requests of the log-in pages. A log-in reloads the page, so that no data of the previous viewer remains. */
import { fetchJson } from '../../data/fetch-json';

const post = <T>(path: string, body: object) => fetchJson<T>(`/api/auth${path}`, { method: 'POST', body });

export const logIn = (email: string, password: string) => post('/sign-in/email', { email, password });

export async function logInWithPasskey(): Promise<void> {
  const options = await fetchJson<PublicKeyCredentialRequestOptionsJSON>(
    '/api/auth/passkey/generate-authenticate-options',
  );
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = await navigator.credentials.get({ publicKey });
  await post('/passkey/verify-authentication', { response: (credential as PublicKeyCredential).toJSON() });
}

export async function addPasskey(): Promise<void> {
  const options = await fetchJson<PublicKeyCredentialCreationOptionsJSON>(
    '/api/auth/passkey/generate-register-options',
  );
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = await navigator.credentials.create({ publicKey });
  await post('/passkey/verify-registration', { response: (credential as PublicKeyCredential).toJSON() });
}

/** Redirect to the provider, which redirects back. */
export async function logInAtProvider(next: string): Promise<void> {
  const body = { provider: 'sso', callbackURL: next, errorCallbackURL: '/login' };
  const { url } = await post<{ url: string }>('/sign-in/social', body);
  location.assign(url);
}

export async function logOut(): Promise<void> {
  try {
    await post('/sign-out', {});
  } finally {
    // Also when the end of the live feed already reloads the page and aborts the request.
    location.assign('/login');
  }
}

export const changePassword = (currentPassword: string, newPassword: string) =>
  post('/change-password', { currentPassword, newPassword, revokeOtherSessions: true });

export const removePasskey = (id: string) => post('/passkey/delete-passkey', { id });

export const readInvitation = <T>(secret: string) => post<T>('/invitation', { secret });

export const join = (body: Record<'name' | 'email' | 'password' | 'invitation', string>) =>
  post('/sign-up/email', body);

/** A path of this server; other addresses are replaced by the fleet. */
export function safeNext(next: string | null): string {
  if (next === null || !URL.canParse(next, location.origin)) return '/';
  const url = new URL(next, location.origin);
  return url.origin === location.origin ? `${url.pathname}${url.search}` : '/';
}

/** The reason why a passkey was not used; the browser's own dialogs show the details. */
export const passkeyFailure = (error: Error | null): string | null =>
  error instanceof DOMException
    ? 'The passkey was not used: the request was cancelled, or this device has none for this server.'
    : (error?.message ?? null);
