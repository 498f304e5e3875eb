"""Our recorder passes the library's own test cases for the ports it implements.

The library's aggregate case demands that `insert_events` returns None, its application case that it returns positions;
they contradict each other, so the aggregate case is run on the snapshot recorder.
"""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from eventsourcing.persistence import AggregateRecorder, ApplicationRecorder, ProcessRecorder, TrackingRecorder
from eventsourcing.sqlite import SQLiteAggregateRecorder, SQLiteTrackingRecorder
from eventsourcing.tests.persistence import (
    AggregateRecorderTestCase,
    ApplicationRecorderTestCase,
    InfrastructureFactoryTestCase,
    NonInterleavingNotificationIDsBaseCase,
    ProcessRecorderTestCase,
    TrackingRecorderTestCase,
)
from eventsourcing.utils import Environment

from affidavit.journal.recorder import LedgerDatastore, LedgerFactory, LedgerRecorder


class OnDisk:
    """Gives each case a log file of its own."""

    def setUp(self) -> None:
        self.folder = TemporaryDirectory()
        self.datastore = LedgerDatastore(str(Path(self.folder.name) / "log.db"))

    def tearDown(self) -> None:
        self.datastore.close()
        self.folder.cleanup()

    def create_recorder(self) -> Any:
        recorder = LedgerRecorder(self.datastore)
        recorder.create_table()
        return recorder


class TestApplicationPort(OnDisk, ApplicationRecorderTestCase[ApplicationRecorder]): ...


class TestProcessPort(OnDisk, ProcessRecorderTestCase): ...


class TestTrackingPort(OnDisk, TrackingRecorderTestCase): ...


class TestNonInterleaving(OnDisk, NonInterleavingNotificationIDsBaseCase):
    insert_num = 200


class TestSnapshotPort(OnDisk, AggregateRecorderTestCase):
    def create_recorder(self) -> AggregateRecorder:
        recorder = SQLiteAggregateRecorder(self.datastore, events_table_name="snapshots")
        recorder.create_table()
        return recorder


class CustomTracking(SQLiteTrackingRecorder): ...


class TestFactory(InfrastructureFactoryTestCase[LedgerFactory]):
    def setUp(self) -> None:
        self.folder = TemporaryDirectory()
        self.env = Environment("TestCase")
        self.env["PERSISTENCE_MODULE"] = "affidavit.journal.recorder:LedgerFactory"
        self.env["SQLITE_DBNAME"] = str(Path(self.folder.name) / "log.db")
        super().setUp()

    def tearDown(self) -> None:
        self.factory.close()
        super().tearDown()
        self.folder.cleanup()

    def expected_factory_class(self) -> type[LedgerFactory]:
        return LedgerFactory

    def expected_aggregate_recorder_class(self) -> type[AggregateRecorder]:
        return SQLiteAggregateRecorder

    def expected_application_recorder_class(self) -> type[ApplicationRecorder]:
        return LedgerRecorder

    def expected_tracking_recorder_class(self) -> type[TrackingRecorder]:
        return SQLiteTrackingRecorder

    def tracking_recorder_subclass(self) -> type[TrackingRecorder]:
        return CustomTracking

    def expected_process_recorder_class(self) -> type[ProcessRecorder]:
        return LedgerRecorder


del (
    AggregateRecorderTestCase,
    ApplicationRecorderTestCase,
    InfrastructureFactoryTestCase,
    NonInterleavingNotificationIDsBaseCase,
    ProcessRecorderTestCase,
    TrackingRecorderTestCase,
)
