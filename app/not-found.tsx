import { Missing } from '@/components/ui/page-head';

export default function NotFound() {
  return (
    <Missing title="There is no such page" href="/" link="To the fleet">
      The address may be mistyped, or its content was deleted. The fleet lists all known sessions.
    </Missing>
  );
}
