"""Reads what a bridge wrote with clients that share nothing with it, and says what they made of it.

    pip install "confluent-kafka[avro,schema-registry]" cloudevents
    python read_topics.py BROKERS REGISTRY_URL SECONDS TOPIC...

Partitions are compared with those that librdkafka's murmur2 partitioner chooses for the same keys, on topics of the same size.
"""

import sys
import time
import uuid

from cloudevents.core.bindings.kafka import KafkaMessage, from_binary_event
from confluent_kafka import Consumer, Producer
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer
from confluent_kafka.serialization import MessageField, SerializationContext

brokers, registry, seconds, *topics = sys.argv[1:]

deserialize = AvroDeserializer(SchemaRegistryClient({"url": registry}))
consumer = Consumer(
    {
        "bootstrap.servers": brokers,
        "group.id": f"foreign-{uuid.uuid4()}",
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
    }
)
consumer.subscribe(topics)

records = []
until = time.monotonic() + float(seconds)
while time.monotonic() < until:
    message = consumer.poll(0.2)
    if message is not None and message.error() is None:
        records.append(message)
consumer.close()

chosen = {}


def note(error, message):
    if error is None:
        chosen[(message.topic(), message.key())] = message.partition()


# Into topics named like the first ones with this ending, which must have as many partitions.
ending = ".foreign"
producer = Producer({"bootstrap.servers": brokers, "partitioner": "murmur2_random"})
for message in records:
    if message.key() is not None:
        producer.produce(message.topic() + ending, key=message.key(), value=b"x", on_delivery=note)
producer.flush(20)

wrong = 0
for message in records:
    value = deserialize(message.value(), SerializationContext(message.topic(), MessageField.VALUE))
    headers = dict(message.headers())
    event = from_binary_event(KafkaMessage(headers=headers, key=message.key(), value=message.value()))
    expected = chosen.get((message.topic() + ending, message.key()))
    same = (
        expected == message.partition()
        and event.get_subject() == message.key().decode()
        and event.get_id() == value.get("eventId", value.get("resultId"))
        and event.get_data() == message.value()
    )
    wrong += not same
    print(
        f"{message.topic()} {message.partition()}/{message.offset()} (librdkafka: {expected})",
        event.get_specversion(),
        event.get_type(),
        event.get_time().isoformat(),
        event.get_datacontenttype(),
        value.get("status", value.get("outcome")),
        "" if same else "DIFFERS",
    )
print(f"{len(records)} records, {wrong} differ")
sys.exit(1 if wrong or not records else 0)
