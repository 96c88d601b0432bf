import { Missing } from '@/components/ui/page-head';

export default function SessionNotFound() {
  return (
    <Missing title="No such session" href="/" link="All sessions">
      The address names no session of this server: it was deleted, never arrived here, or the address is cut
      short.
    </Missing>
  );
}
