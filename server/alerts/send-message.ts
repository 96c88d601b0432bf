import { createHmac } from 'node:crypto';
import type { OpenChannel } from '../../core/alerts/channel';
import type { AlertMessage } from '../../core/alerts/notice';
import { requestsOf } from '../../core/alerts/requests';
import { PrivateAddressError } from './guard-address';
import { DeliveryError, type PostOptions, post } from './post';
import { sendMail } from './send-mail';

/** The signature of a webhook: HMAC-SHA256 of `<seconds>.<body>`, in hex, so that a receiver can refuse old copies. */
function signBody(body: string, key: string, nowMs: number): Record<string, string> {
  const seconds = Math.floor(nowMs / 1_000);
  const signature = createHmac('sha256', key).update(`${seconds}.${body}`).digest('hex');
  return { 'Barograph-Signature': `t=${seconds},v1=${signature}` };
}

/**
 * @param renew extends the lease of the message before a further request
 * @throws DeliveryError, PrivateAddressError, or an error of the connection; none contains a secret
 */
export async function sendMessage(
  channel: OpenChannel,
  message: AlertMessage,
  options: PostOptions,
  renew: () => Promise<void>,
): Promise<void> {
  switch (channel.kind) {
    case 'browser':
    case 'command':
      return;
    case 'email':
      return sendMail(channel.config, channel.secret, message, options);
    default: {
      const requests = requestsOf(channel, message, (body, key) => signBody(body, key, Date.now()));
      for (const [index, request] of requests.entries()) {
        // One alert of a group may be sent twice, so each request has its own key.
        if (index > 0) await renew();
        const key = requests.length === 1 ? message.id : `${message.id}-${index}`;
        await post({ ...request, headers: { ...request.headers, 'Idempotency-Key': key } }, options);
      }
    }
  }
}

/** The reason of a failure, for operators. Addresses are left out, because they may contain a secret. */
export function describeFailure(error: unknown): string {
  if (error instanceof DeliveryError || error instanceof PrivateAddressError) return error.message;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? `The connection failed: ${code}.` : 'The connection failed.';
}
