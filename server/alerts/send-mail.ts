/** Sends a message as an e-mail. */
import { createTransport } from 'nodemailer';
import { messageLines, messageTitle } from '../../core/alerts/alert-text';
import type { ChannelConfig, ChannelSecret } from '../../core/alerts/channel';
import type { AlertMessage } from '../../core/alerts/notice';
import { resolvePublic } from './guard-address';
import { DeliveryError, type PostOptions } from './post';

/** @throws DeliveryError, PrivateAddressError, or an error of the connection */
export async function sendMail(
  { host, port, security, user, from, to }: ChannelConfig<'email'>,
  { password }: ChannelSecret<'email'>,
  message: AlertMessage,
  { allowPrivate, timeoutMs }: PostOptions,
): Promise<void> {
  const { address } = await resolvePublic(host, allowPrivate);
  const transport = createTransport({
    host: address,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    tls: { servername: host },
    ...(user !== '' && { auth: { user, pass: password } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    await Promise.race([
      transport.sendMail({
        from,
        to,
        subject: messageTitle(message),
        text: `${messageLines(message).join('\n\n')}\n`,
        // Mail programs drop a second copy with the same id.
        messageId: `<${message.id}@barograph>`,
        headers: { 'Idempotency-Key': message.id },
      }),
      new Promise<never>((_, reject) => {
        timer = setTimeout(
          () => reject(new DeliveryError('The mail server did not respond in time.')),
          timeoutMs,
        );
      }),
    ]);
  } catch (error) {
    const { responseCode } = error as { responseCode?: number };
    if (responseCode === undefined) throw error;
    // 535 and the like: the password may be corrected, but not within this message's attempts.
    throw new DeliveryError(`The mail server answered ${responseCode}.`, responseCode >= 500);
  } finally {
    clearTimeout(timer);
    transport.close();
  }
}
