/** What earlier sessions of the same client, version and window showed about the client's compaction point. */
const MOST_PEERS = 20;

/** SQL of the newest outcomes for the session row with this alias. Sessions without an outcome are left out. */
export function peerOutcomes(alias: string): string {
  return `(
    select coalesce(json_agg(o), '[]') from (
      select peer.compacted_at_tokens as "compactedAt", peer.passed_tokens as passed from sessions peer
      where peer.client = ${alias}.client and peer.client_version = ${alias}.client_version
        and peer.limit_tokens = ${alias}.limit_tokens and peer.id <> ${alias}.id and peer.deleted_at is null
        and (peer.compacted_at_tokens is not null or peer.passed_tokens is not null)
      order by peer.id desc limit ${MOST_PEERS}
    ) o
  ) as peers`;
}
