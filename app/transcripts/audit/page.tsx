import { redirect } from 'next/navigation';

interface FormerPageProps {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

/** Where the audit log was: links to it lead on. */
export default async function FormerAuditPage({ searchParams }: FormerPageProps) {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(await searchParams)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) params.append(name, one);
  }
  redirect(`/settings/audit${params.size === 0 ? '' : `?${params}`}`);
}
