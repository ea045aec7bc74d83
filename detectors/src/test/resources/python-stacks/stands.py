# The program of the records: its main thread stands in `inner`, called by a generator and a class.
import threading


class Loader:
    def __next__(self):
        lock = threading.Lock()
        lock.acquire()

        def inner():
            lock.acquire()

        threading.Thread(target=lambda: lock.acquire(timeout=600), daemon=True).start()
        inner()


def générateur(n):
    yield from (Loader().__next__() for _ in range(n))


def main():
    for x in générateur(3):
        pass


main()
