import Link from 'next/link';

export default function SessionNotFound() {
  return (
    <div className="page-x py-[48px]">
      <h1 className="text-title">No such session</h1>
      <p className="mt-[8px] max-w-[60ch] text-ink2">
        The address names no session of this server: it was deleted, never arrived here, or the address is cut
        short.
      </p>
      <p className="mt-[16px]">
        <Link href="/" className="link">
          All sessions
        </Link>
      </p>
    </div>
  );
}
