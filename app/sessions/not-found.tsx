import { Missing } from '@/components/ui/page-head';

export default function SessionNotFound() {
  return (
    <Missing title="No such session" href="/" link="All sessions">
      This server has no session with this address: it was deleted, never arrived, or the address is
      incomplete.
    </Missing>
  );
}
