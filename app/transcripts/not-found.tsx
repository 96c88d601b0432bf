import Link from 'next/link';

export default function TranscriptNotFound() {
  return (
    <div className="page-x py-[48px]">
      <h1 className="text-title">No such transcript</h1>
      <p className="mt-[8px] max-w-[60ch] text-ink2">
        The address names no transcript of this server: it never arrived here, or the address is cut short. Of
        one that was deleted a row would stay.
      </p>
      <p className="mt-[16px]">
        <Link href="/transcripts" className="link">
          All transcripts
        </Link>
      </p>
    </div>
  );
}
